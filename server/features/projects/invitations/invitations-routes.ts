import { IdParams } from "@miranda/contract/schemas/forms.ts";
import {
  AcceptedInvitation,
  InvitationList,
  InvitationTokenBody,
  InviteBody,
  InviteToProjectBody,
  NewInvitation,
  OpenedInvitation,
} from "@miranda/contract/schemas/people/invitations.ts";
import { z } from "zod";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import { visitorOf } from "../../../platform/http/visitor.ts";
import type { Auth } from "../../auth/auth-service.ts";
import type { Invitations } from "./invitations-service.ts";

const tags = ["invitations"];
const Nothing = z.object({});

/** Tokens come in bodies: an address would be logged. */
export function invitationRoutes(app: Http, invitations: Invitations, auth: Pick<Auth, "describe">): void {
  app.get(
    "/api/v3/projects/:id/invitations",
    { schema: { tags, params: IdParams, response: { 200: InvitationList } } },
    (request) => invitations.listOfProject(callerOf(request), request.params.id),
  );

  app.post(
    "/api/v3/projects/:id/invitations",
    { schema: { tags, params: IdParams, body: InviteToProjectBody, response: { 200: NewInvitation } } },
    (request) => invitations.inviteToProject(callerOf(request), request.params.id, request.body),
  );

  app.get("/api/v3/admin/invitations", { schema: { tags, response: { 200: InvitationList } } }, (request) =>
    invitations.listOfInstallation(callerOf(request)),
  );

  app.post(
    "/api/v3/admin/invitations",
    {
      config: { sessionOnly: true },
      schema: { tags, body: InviteBody, response: { 200: NewInvitation } },
    },
    (request) => invitations.inviteToInstallation(callerOf(request), request.body),
  );

  app.delete(
    "/api/v3/invitations/:id",
    { schema: { tags, params: IdParams, response: { 200: Nothing } } },
    async (request) => {
      await invitations.withdraw(callerOf(request), request.params.id);
      return {};
    },
  );

  app.post(
    "/api/v3/invitations/open",
    { config: { public: true }, schema: { tags, body: InvitationTokenBody, response: { 200: OpenedInvitation } } },
    (request) => invitations.open(request.body.token, visitorOf(request)),
  );

  app.post(
    "/api/v3/invitations/accept",
    {
      config: { sessionOnly: true },
      schema: { tags, body: InvitationTokenBody, response: { 200: AcceptedInvitation } },
    },
    async (request) => {
      const caller = callerOf(request);
      const { account } = await auth.describe(caller.accountId);
      return invitations.accept(caller, account, request.body.token, visitorOf(request));
    },
  );
}
