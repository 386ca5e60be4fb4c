import { session as sessionLimits } from "@miranda/contract/limits.ts";
import { AccountDeletion, DeleteAccountBody } from "@miranda/contract/schemas/account/account-deletion.ts";
import { z } from "zod";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import { visitorOf } from "../../platform/http/visitor.ts";
import type { AccountDeletions } from "./account-deletion-service.ts";

const tags = ["session"];
const config = { sessionOnly: true };

export function accountDeletionRoutes(app: Http, deletions: AccountDeletions): void {
  app.get(
    "/api/v3/auth/account/deletion",
    { config, schema: { tags, response: { 200: AccountDeletion } } },
    (request) => deletions.preview(callerOf(request)),
  );

  app.delete(
    "/api/v3/auth/account",
    { config, schema: { tags, body: DeleteAccountBody, response: { 200: z.object({}) } } },
    async (request, reply) => {
      await deletions.remove(callerOf(request), request.body, visitorOf(request));
      void reply.clearCookie(sessionLimits.cookie, { path: "/" });
      return {};
    },
  );
}
