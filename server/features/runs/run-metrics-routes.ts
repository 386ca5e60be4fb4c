import { RunMetrics, RunParams, RunUsage } from "@miranda/contract/schemas/runs.ts";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import { listParts, sendParts } from "../../platform/http/send-parts.ts";
import type { RunMetricsReading } from "./run-metrics-service.ts";

export function runMetricRoutes(app: Http, metrics: RunMetricsReading): void {
  app.get(
    "/api/v3/runs/:runId/metrics",
    { schema: { tags: ["runs"], params: RunParams, response: { 200: RunMetrics } } },
    async (request, reply) => sendParts(reply, listParts(await metrics.get(callerOf(request), request.params.runId))),
  );

  app.get(
    "/api/v3/runs/:runId/usage",
    { schema: { tags: ["runs"], params: RunParams, response: { 200: RunUsage.nullable() } } },
    (request) => metrics.usage(callerOf(request), request.params.runId),
  );
}
