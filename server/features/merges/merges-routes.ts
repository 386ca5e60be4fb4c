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
import type { Merges } from "./merges-service.ts";

const tags = ["versions"];
const params = GraphParams;
const bodyLimit = limits.mergeBodyMax;

export function mergeRoutes(app: Http, merges: Merges): void {
  app.get("/api/v3/graphs/:graphId/origin", { schema: { tags, params, response: { 200: Origin } } }, (request) =>
    merges.origin(callerOf(request), request.params.graphId),
  );

  app.post(
    "/api/v3/graphs/:graphId/merges/preview",
    { schema: { tags, params, body: MergePreviewBody, response: { 200: MergePreview } } },
    async (request, reply) =>
      sendInSlices(reply, await merges.preview(callerOf(request), request.params.graphId, request.body.from)),
  );

  app.post(
    "/api/v3/graphs/:graphId/merges",
    { bodyLimit, schema: { tags, params, body: MergeBody, response: { 200: RestoredVersion } } },
    (request) => merges.merge(callerOf(request), request.params.graphId, request.body),
  );
}
