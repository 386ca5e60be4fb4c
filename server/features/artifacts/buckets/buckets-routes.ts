import { Id } from "@miranda/contract/schemas/forms.ts";
import { ArtifactBucket, PutArtifactBucketBody } from "@miranda/contract/schemas/models/buckets.ts";
import { z } from "zod";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import type { ArtifactBuckets } from "./buckets-service.ts";

const tags = ["models"];
const params = z.object({ projectId: Id });
const response = { 200: ArtifactBucket };
const path = "/api/v3/projects/:projectId/artifact_bucket";

export function artifactBucketRoutes(app: Http, buckets: ArtifactBuckets): void {
  app.get(path, { schema: { tags, params, response } }, (request) =>
    buckets.get(callerOf(request), request.params.projectId),
  );
  app.put(path, { schema: { tags, params, body: PutArtifactBucketBody, response } }, (request) =>
    buckets.save(callerOf(request), request.params.projectId, request.body),
  );
  app.delete(path, { schema: { tags, params, response } }, (request) =>
    buckets.leave(callerOf(request), request.params.projectId),
  );
}
