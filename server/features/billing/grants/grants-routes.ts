import { Correction, CorrectionBody, GivenGrant, Grant, GrantBody } from "@miranda/contract/schemas/billing/grants.ts";
import { IdParams } from "@miranda/contract/schemas/forms.ts";
import { z } from "zod";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import type { Corrections } from "./corrections-service.ts";
import type { Grants } from "./grants-service.ts";

const config = { adminOnly: true };

export function grantRoutes(app: Http, grants: Grants, corrections: Corrections): void {
  app.post(
    "/api/v3/admin/grants",
    { schema: { tags: ["billing"], body: GrantBody, response: { 200: Grant } } },
    (request) => grants.grant(callerOf(request), request.body),
  );

  app.post(
    "/api/v3/admin/grants/corrections",
    { config, schema: { tags: ["billing"], body: CorrectionBody, response: { 200: Correction } } },
    (request) => corrections.correct(callerOf(request), request.body),
  );

  app.get(
    "/api/v3/admin/people/:id/grants",
    { config, schema: { tags: ["billing"], params: IdParams, response: { 200: z.array(GivenGrant) } } },
    (request) => corrections.list(request.params.id),
  );
}
