import { GraphParams } from "@miranda/contract/schemas/graphs.ts";
import { Continuation } from "@miranda/contract/schemas/runs.ts";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Results } from "./results-service.ts";

export function resultRoutes(app: Http, results: Results): void {
  app.get(
    "/api/v3/graphs/:graphId/continuation",
    { schema: { tags: ["runs"], params: GraphParams, response: { 200: Continuation.nullable() } } },
    (request) => results.findContinuation(callerOf(request), request.params.graphId),
  );
}
