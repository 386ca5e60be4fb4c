import { version as limits } from "@miranda/contract/limits.ts";
import { GraphParams } from "@miranda/contract/schemas/graphs.ts";
import {
  MergeBody,
  MergePreview,
  MergePreviewBody,
  Origin,
  RestoredVersion,
} from "@miranda/contract/schemas/versions.ts";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import { sendInSlices } from "../../platform/http/send-parts.ts";
import type { WorkShares } from "../../platform/limits/work-shares.ts";
import type { Merges } from "./merges-service.ts";

const tags = ["versions"];
const params = GraphParams;
const bodyLimit = limits.mergeBodyMax;

export function mergeRoutes(app: Http, merges: Merges, share: WorkShares): void {
  app.get("/api/v3/graphs/:graphId/origin", { schema: { tags, params, response: { 200: Origin } } }, (request) =>
    merges.origin(callerOf(request), request.params.graphId),
  );

  app.post(
    "/api/v3/graphs/:graphId/merges/preview",
    { schema: { tags, params, body: MergePreviewBody, response: { 200: MergePreview } } },
    async (request, reply) => {
      const caller = callerOf(request);
      const { graphId } = request.params;
      return sendInSlices(reply, await share(caller, () => merges.preview(caller, graphId, request.body.from)));
    },
  );

  app.post(
    "/api/v3/graphs/:graphId/merges",
    { bodyLimit, schema: { tags, params, body: MergeBody, response: { 200: RestoredVersion } } },
    (request) => {
      const caller = callerOf(request);
      return share(caller, () => merges.merge(caller, request.params.graphId, request.body));
    },
  );
}
