import { FillPurseBody, PayerOfWorkflow, Purse, PutPurseBody } from "@miranda/contract/schemas/billing/purses.ts";
import { Id } from "@miranda/contract/schemas/forms.ts";
import { z } from "zod";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import type { Purses } from "./purses-service.ts";

const tags = ["billing"];
const params = z.object({ projectId: Id });
const response = { 200: Purse };

export function purseRoutes(app: Http, purses: Purses): void {
  app.get("/api/v3/projects/:projectId/purse", { schema: { tags, params, response } }, (request) =>
    purses.get(callerOf(request), request.params.projectId),
  );

  app.get(
    "/api/v3/graphs/:graphId/purse",
    { schema: { tags, params: z.object({ graphId: Id }), response: { 200: PayerOfWorkflow } } },
    (request) => purses.ofGraph(callerOf(request), request.params.graphId),
  );

  app.put("/api/v3/projects/:projectId/purse", { schema: { tags, params, body: PutPurseBody, response } }, (request) =>
    purses.setInUse(callerOf(request), request.params.projectId, request.body.in_use),
  );

  app.post(
    "/api/v3/projects/:projectId/purse/fill",
    { schema: { tags, params, body: FillPurseBody, response } },
    (request) => purses.fill(callerOf(request), request.params.projectId, request.body),
  );

  app.post("/api/v3/projects/:projectId/purse/close", { schema: { tags, params, response } }, (request) =>
    purses.close(callerOf(request), request.params.projectId),
  );
}
