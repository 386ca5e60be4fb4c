import { ConfirmBody, ForgotBody } from "@miranda/contract/schemas/account/email.ts";
import { z } from "zod";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import { visitorOf } from "../../../platform/http/visitor.ts";
import type { Emails } from "./email-service.ts";

const tags = ["session"];
const response = { 200: z.object({}) };

interface Dependencies {
  emails: Emails;
  passwordLink: (trx: Db, accountId: string) => Promise<string>;
}

export function emailRoutes(app: Http, { emails, passwordLink }: Dependencies): void {
  app.post(
    "/api/v3/auth/password/forgot",
    { config: { public: true }, schema: { tags, body: ForgotBody, response } },
    async (request) => {
      await emails.forgot(request.body.username, visitorOf(request), passwordLink);
      return {};
    },
  );

  app.post(
    "/api/v3/auth/email/confirm",
    { config: { public: true }, schema: { tags, body: ConfirmBody, response } },
    async (request) => {
      await emails.confirm(request.body.token, visitorOf(request));
      return {};
    },
  );

  app.post(
    "/api/v3/auth/email/send",
    { config: { sessionOnly: true }, schema: { tags, response } },
    async (request) => {
      await emails.sendAgain(callerOf(request));
      return {};
    },
  );
}
