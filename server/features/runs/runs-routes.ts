import { LogEntryList, NodeOutputList } from "@miranda/contract/schemas/processors.ts";
import {
  RunDetails,
  RunLogsQuery,
  RunOutputsQuery,
  RunPage,
  RunParams,
  RunsQuery,
} from "@miranda/contract/schemas/runs.ts";
import { VersionGraph } from "@miranda/contract/schemas/versions.ts";
import { z } from "zod";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import { logParts } from "../../platform/http/log-parts.ts";
import { isNotModified } from "../../platform/http/not-modified.ts";
import { listParts, sendInSlices, sendNothing, sendParts } from "../../platform/http/send-parts.ts";
import type { Runs } from "./runs-service.ts";

const tags = ["runs"];
const params = RunParams;

export function runRoutes(app: Http, runs: Runs): void {
  app.get(
    "/api/v3/runs",
    { config: { revalidated: true }, schema: { tags, querystring: RunsQuery, response: { 200: RunPage } } },
    (request) => runs.list(callerOf(request), request.query),
  );

  app.get("/api/v3/runs/:runId", { schema: { tags, params, response: { 200: RunDetails } } }, async (request, reply) =>
    sendInSlices(reply, await runs.get(callerOf(request), request.params.runId)),
  );

  app.delete("/api/v3/runs/:runId", { schema: { tags, params, response: { 200: z.object({}) } } }, async (request) => {
    await runs.remove(callerOf(request), request.params.runId);
    return {};
  });

  app.get(
    "/api/v3/runs/:runId/graph",
    { schema: { tags, params, response: { 200: VersionGraph } } },
    async (request, reply) => {
      const isKnown = (tag: string) => isNotModified(request, reply, tag);
      const graph = await runs.graph(callerOf(request), request.params.runId, isKnown);
      return graph === "known" ? sendNothing(reply) : sendParts(reply, graph);
    },
  );

  app.get(
    "/api/v3/runs/:runId/outputs",
    { schema: { tags, params, querystring: RunOutputsQuery, response: { 200: NodeOutputList } } },
    async (request, reply) =>
      sendParts(reply, listParts(await runs.outputs(callerOf(request), request.params.runId, request.query))),
  );

  app.get(
    "/api/v3/runs/:runId/logs",
    { schema: { tags, params, querystring: RunLogsQuery, response: { 200: LogEntryList } } },
    async (request, reply) =>
      sendParts(reply, logParts(await runs.logs(callerOf(request), request.params.runId, request.query))),
  );
}
