import { Id } from "@miranda/contract/schemas/forms.ts";
import {
  AddMemberBody,
  MemberPageQuery,
  MemberParams,
  PatchMemberBody,
  ProjectMemberList,
} from "@miranda/contract/schemas/members.ts";
import { z } from "zod";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import { withTotal } from "../../../platform/http/list-total.ts";
import type { Members } from "./members-service.ts";

const tags = ["projects"];
const params = z.object({ id: Id });
const Nothing = z.object({});

export function memberRoutes(app: Http, members: Members): void {
  app.get(
    "/api/v3/projects/:id/members",
    { schema: { tags, params, querystring: MemberPageQuery, response: { 200: ProjectMemberList } } },
    async (request, reply) => withTotal(reply, await members.list(callerOf(request), request.params.id, request.query)),
  );

  app.post(
    "/api/v3/projects/:id/members",
    {
      schema: { tags, params, querystring: MemberPageQuery, body: AddMemberBody, response: { 200: ProjectMemberList } },
    },
    async (request, reply) => {
      await members.add(callerOf(request), request.params.id, request.body);
      return withTotal(reply, await members.list(callerOf(request), request.params.id, request.query));
    },
  );

  app.patch(
    "/api/v3/projects/:id/members/:memberId",
    { schema: { tags, params: MemberParams, body: PatchMemberBody, response: { 200: Nothing } } },
    async (request) => {
      await members.change(callerOf(request), request.params.id, request.params.memberId, request.body.role);
      return {};
    },
  );

  app.delete(
    "/api/v3/projects/:id/members/:memberId",
    { schema: { tags, params: MemberParams, response: { 200: Nothing } } },
    async (request) => {
      await members.remove(callerOf(request), request.params.id, request.params.memberId);
      return {};
    },
  );
}
