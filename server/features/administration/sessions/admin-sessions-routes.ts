import {
  AdminSessionPage,
  AdminSessionsQuery,
  StopSessionBody,
  WaitingSessions,
} from "@miranda/contract/schemas/admin/sessions.ts";
import { IdParams } from "@miranda/contract/schemas/forms.ts";
import { z } from "zod";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import type { AdminSessions } from "./admin-sessions-service.ts";

const tags = ["administration"];
const config = { adminOnly: true };
const nothing = z.object({});

export function adminSessionRoutes(app: Http, sessions: AdminSessions): void {
  app.get(
    "/api/v3/admin/sessions",
    { config, schema: { tags, querystring: AdminSessionsQuery, response: { 200: AdminSessionPage } } },
    (request) => sessions.list(request.query),
  );

  app.post(
    "/api/v3/admin/sessions/:id/stop",
    { config, schema: { tags, params: IdParams, body: StopSessionBody, response: { 200: nothing } } },
    async (request) => {
      await sessions.stop(callerOf(request), request.params.id, request.body.reason);
      return {};
    },
  );

  app.get("/api/v3/admin/queue", { config, schema: { tags, response: { 200: WaitingSessions } } }, () =>
    sessions.queue(),
  );

  app.post(
    "/api/v3/admin/queue/:id/remove",
    { config, schema: { tags, params: IdParams, body: StopSessionBody, response: { 200: nothing } } },
    async (request) => {
      await sessions.removeFromQueue(callerOf(request), request.params.id, request.body.reason);
      return {};
    },
  );
}
