import { runnerCall as limits } from "../../../limits.ts";
import { Id } from "@miranda/contract/schemas/forms.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";

import { AppError } from "../../../platform/errors/app-error.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import { hasMoreValuesThan } from "../../../platform/json-values.ts";
import type { Processors } from "../processors-service.ts";
import { GitStep } from "../../git/git-service.ts";
import {
  EventsQuery,
  FileQuestion,
  Heartbeat,
  RunnerEvents,
  SecretQuestion,
} from "@miranda/contract/protocol/agent.ts";
import { closingAtRefusal, createBatchQueue, createTokenCheck, jobOf, tokenOf } from "./agent-guard.ts";
import type { Runner } from "./agent-service.ts";
import { safely } from "../../../platform/errors/safely.ts";

declare module "fastify" {
  interface FastifyRequest {
    batchTurn: { end: () => void; isBeingStored: boolean } | undefined;
  }
}

const params = z.object({ jobId: Id });
const gitParams = params.extend({ number: z.coerce.number().int() });

/** The calls of agents. Each agent has its job's token, which allows nothing else. */
export async function runnerRoutes(
  app: Http,
  runner: Runner,
  processors: Processors,
  { report, roomForVersion }: { report: (error: unknown, what: string) => void; roomForVersion: () => Promise<void> },
): Promise<void> {
  const checkToken = createTokenCheck(runner.authenticate);
  const takeTurn = createBatchQueue();

  await app.register(async (scope: Http) => {
    scope.decorateRequest("batchTurn");
    // Forms are limited by field, not by size, and no agent sends one.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request: FastifyRequest, body: Buffer) =>
      parseJson(body),
    );

    // Before reading the body: strangers must cost nothing but their connection.
    scope.addHook("onRequest", async (request, reply) => {
      await closingAtRefusal(reply, async () => checkToken(jobOf(request), tokenOf(request.headers)));
    });

    async function waitForTurn(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const end = await closingAtRefusal(reply, () => takeTurn(jobOf(request)));
      const turn = { end, isBeingStored: false };
      request.batchTurn = turn;
      const leave = (): void => {
        if (!turn.isBeingStored) turn.end();
      };
      // A caller that disconnected while waiting emits no further event.
      if (reply.raw.closed || request.raw.destroyed) leave();
      else reply.raw.once("close", safely(leave));
    }

    scope.post(
      "/api/runner/:jobId/events",
      {
        bodyLimit: limits.batchMax,
        onRequest: waitForTurn,
        schema: { hide: true, params, querystring: EventsQuery, body: RunnerEvents },
      },
      async (request) => {
        const turn = request.batchTurn;
        if (turn) turn.isBeingStored = true;
        try {
          return await runner.takeEvents(request.params.jobId, tokenOf(request.headers), {
            ...request.body,
            clock: request.query.clock,
          });
        } finally {
          turn?.end();
        }
      },
    );

    scope.get("/api/runner/:jobId/commands", { schema: { hide: true, params, querystring: Heartbeat } }, (request) =>
      runner.takeCommands(request.params.jobId, tokenOf(request.headers), request.query, () => request.raw.destroyed),
    );

    scope.get("/api/runner/:jobId/graph", { schema: { hide: true, params } }, async (request, reply) => {
      const job = await runner.authenticateLiving(request.params.jobId, tokenOf(request.headers));
      const run = await runner.findRun(job.id);
      const versionId = await runner.versionFor(job, run);
      if (run && versionId === null) await roomForVersion();
      const { graph, rows } = await processors.runnerGraph(job, versionId, run?.trial ?? null);
      const failed = (error: unknown): void => report(error, "keeping the version of a run failed");
      // Reported below.
      rows?.catch(() => undefined);
      // After the answer: the run must not wait for it.
      const { graph_id } = job;
      if (rows && run && graph_id !== null)
        reply.raw.once(
          "close",
          safely(() => void runner.keepVersion(run, graph_id, rows).catch(failed)),
        );
      return graph;
    });

    scope.post(
      "/api/runner/:jobId/secret",
      { bodyLimit: limits.questionMax, schema: { hide: true, params, body: SecretQuestion } },
      (request) => runner.secret(request.params.jobId, tokenOf(request.headers), request.body),
    );

    scope.post(
      "/api/runner/:jobId/git/:number",
      { bodyLimit: limits.gitStepMax, schema: { hide: true, params: gitParams, body: GitStep } },
      (request) => runner.git(request.params.jobId, tokenOf(request.headers), request.params.number, request.body),
    );

    scope.post(
      "/api/runner/:jobId/file",
      { bodyLimit: limits.questionMax, schema: { hide: true, params, body: FileQuestion } },
      (request) => runner.file(request.params.jobId, tokenOf(request.headers), request.body.file),
    );
  });
}

/** Not Fastify's parser: it refuses a variable called __proto__, which would end the session. */
async function parseJson(body: Buffer): Promise<unknown> {
  if (body.length === 0) return {};
  if (body.length > limits.unseenMax && (await hasMoreValuesThan(limits.valuesMax, body)))
    throw new AppError("body_too_large");
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw new AppError("invalid_body");
  }
}
