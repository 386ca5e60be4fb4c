import {
  PasswordLinkBody,
  PasswordLinkOwner,
  UsePasswordLinkBody,
} from "@miranda/contract/schemas/account/password-links.ts";
import { z } from "zod";

import type { Http } from "../../../platform/http/http-server.ts";
import { visitorOf } from "../../../platform/http/visitor.ts";
import type { PasswordLinks } from "./password-links-service.ts";

const tags = ["session"];

export function passwordLinkRoutes(app: Http, links: PasswordLinks): void {
  app.post(
    "/api/v3/auth/password-link",
    { config: { public: true }, schema: { tags, body: PasswordLinkBody, response: { 200: PasswordLinkOwner } } },
    (request) => links.getOwner(request.body.token, visitorOf(request)),
  );

  app.post(
    "/api/v3/auth/password-link/use",
    { config: { public: true }, schema: { tags, body: UsePasswordLinkBody, response: { 200: z.object({}) } } },
    async (request) => {
      await links.use(request.body, visitorOf(request));
      return {};
    },
  );
}
