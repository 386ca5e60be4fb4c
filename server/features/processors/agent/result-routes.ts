import { FindResultsBody } from "@miranda/contract/protocol/agent.ts";
import { ResultKey, runMax } from "@miranda/contract/protocol/worker.ts";
import { Id } from "@miranda/contract/schemas/forms.ts";
import { z } from "zod";

import { runnerCall as limits } from "../../../limits.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import type { Results } from "../../results/results-service.ts";
import { closingAtRefusal, createTokenCheck, jobOf, tokenOf } from "./agent-guard.ts";
import type { Runner } from "./agent-service.ts";

const params = z.object({ jobId: Id });
const resultParams = params.extend({ key: ResultKey });
const ResultQuery = z.object({
  node: z.coerce.number().int().min(0),
  run: z.coerce.number().int().min(0).max(2_147_483_647),
  seconds: z.coerce.number().min(0),
  /** How many bytes of the body come before the content. */
  reads: z.coerce.number().int().min(0).max(runMax.readsLength).default(0),
});

/** The calls of agents about results. Files are never held in memory. */
export async function agentResultRoutes(app: Http, runner: Runner, results: Results): Promise<void> {
  const checkToken = createTokenCheck(runner.authenticate);

  await app.register(async (scope: Http) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "application/json",
      { parseAs: "string" },
      scope.getDefaultJsonParser("ignore", "ignore"),
    );
    scope.addContentTypeParser("application/octet-stream", (_request, payload, done) => done(null, payload));

    scope.addHook("onRequest", async (request, reply) => {
      await closingAtRefusal(reply, async () => checkToken(jobOf(request), tokenOf(request.headers)));
    });

    scope.post(
      "/api/runner/:jobId/results/find",
      { bodyLimit: limits.resultKeysMax, schema: { hide: true, params, body: FindResultsBody } },
      async (request) => {
        const job = await runner.authenticateLiving(request.params.jobId, tokenOf(request.headers));
        return results.find(job, request.body.keys);
      },
    );

    scope.get(
      "/api/runner/:jobId/results/:key",
      { schema: { hide: true, params: resultParams } },
      async (request, reply) => {
        const job = await runner.authenticateLiving(request.params.jobId, tokenOf(request.headers));
        const { bytes, sha256, content } = await results.read(job, request.params.key);
        return reply
          .header("content-type", "application/octet-stream")
          .header("content-length", bytes)
          .header("x-miranda-sha256", sha256.toString("hex"))
          .send(content);
      },
    );

    scope.put(
      "/api/runner/:jobId/results/:key",
      {
        bodyLimit: Math.max(1, results.largest),
        schema: { hide: true, params: resultParams, querystring: ResultQuery },
      },
      async (request, reply) => {
        const job = await closingAtRefusal(reply, () =>
          runner.authenticateLiving(request.params.jobId, tokenOf(request.headers)),
        );
        const announced = Number(request.headers["content-length"]);
        if (!Number.isSafeInteger(announced) || announced < request.query.reads) throw new AppError("invalid_body");
        await closingAtRefusal(reply, () =>
          results.keep(job, { key: request.params.key, ...request.query }, request.raw, announced),
        );
        return {};
      },
    );
  });
}
