import { Grant, GrantBody } from "@miranda/contract/schemas/billing/grants.ts";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import type { Grants } from "./grants-service.ts";

export function grantRoutes(app: Http, grants: Grants): void {
  app.post(
    "/api/v3/admin/grants",
    { schema: { tags: ["billing"], body: GrantBody, response: { 200: Grant } } },
    (request) => grants.grant(callerOf(request), request.body),
  );
}
