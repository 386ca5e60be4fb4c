import { CodeLines, NodeChanges } from "@miranda/contract/schemas/comments/last-changes.ts";
import { MetadataIdParams } from "@miranda/contract/schemas/forms.ts";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { LastChanges } from "./last-changes-service.ts";

const tags = ["nodes"];
const params = MetadataIdParams;

export function lastChangeRoutes(app: Http, changes: LastChanges): void {
  app.get("/api/v3/objects/:id/last-change", { schema: { tags, params, response: { 200: NodeChanges } } }, (request) =>
    changes.ofNode(callerOf(request), request.params.id),
  );

  app.get(
    "/api/v3/objects/:id/lines",
    { config: { revalidated: true }, schema: { tags, params, response: { 200: CodeLines } } },
    (request) => changes.ofLines(callerOf(request), request.params.id),
  );
}
