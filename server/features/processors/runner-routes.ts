import { Id } from "@miranda/contract/schemas/forms.ts";
import { z } from "zod";

import { AppError } from "../../platform/app-error.ts";
import type { Http } from "../../platform/http-server.ts";
import type { Processors } from "./processors-service.ts";
import { GitStep } from "../git/git-steps.ts";
import { Heartbeat, RunnerEvents, SecretQuestion } from "@miranda/contract/protocol/agent.ts";
import type { Runner } from "./runner-service.ts";

const params = z.object({ jobId: Id });
const gitParams = params.extend({ number: z.coerce.number().int() });
// The longest line there is, with every character escaped.
const largestBatch = 96 * 1024 * 1024;
// The longest code, with every character escaped.
const largestStep = 8 * 1024 * 1024;
const FileQuestion = z.object({ file: z.string().max(64) });

/** The door of the agents. Each comes with its own job's token, and that opens nothing else. */
export async function runnerRoutes(app: Http, runner: Runner, processors: Processors): Promise<void> {
  await app.register(async (scope: Http) => {
    // Node code may have a variable called __proto__; refusing the whole batch for it would end the session.
    scope.removeContentTypeParser("application/json");
    scope.addContentTypeParser("application/json", { parseAs: "string" }, (_request, text, done) => {
      try {
        done(null, text === "" ? {} : JSON.parse(text as string));
      } catch {
        done(new AppError("invalid_body"));
      }
    });

    scope.post(
      "/api/runner/:jobId/events",
      { bodyLimit: largestBatch, schema: { hide: true, params, body: RunnerEvents } },
      (request) => runner.takeEvents(request.params.jobId, tokenOf(request.headers), request.body),
    );

    scope.get("/api/runner/:jobId/commands", { schema: { hide: true, params, querystring: Heartbeat } }, (request) =>
      runner.takeCommands(request.params.jobId, tokenOf(request.headers), request.query, () => request.raw.destroyed),
    );

    scope.get("/api/runner/:jobId/graph", { schema: { hide: true, params } }, async (request) => {
      const job = await runner.authenticateLiving(request.params.jobId, tokenOf(request.headers));
      return processors.runnerGraph(job.graph_id, job.project_id);
    });

    scope.post("/api/runner/:jobId/secret", { schema: { hide: true, params, body: SecretQuestion } }, (request) =>
      runner.secret(request.params.jobId, tokenOf(request.headers), request.body),
    );

    scope.post(
      "/api/runner/:jobId/git/:number",
      { bodyLimit: largestStep, schema: { hide: true, params: gitParams, body: GitStep } },
      (request) => runner.git(request.params.jobId, tokenOf(request.headers), request.params.number, request.body),
    );

    scope.post("/api/runner/:jobId/file", { schema: { hide: true, params, body: FileQuestion } }, (request) =>
      runner.file(request.params.jobId, tokenOf(request.headers), request.body.file),
    );
  });
}

function tokenOf(headers: { authorization?: string | undefined }): string {
  const token = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
  if (!token) throw new AppError("runner_unknown");
  return token;
}
