import { Id, IdParams } from "@miranda/contract/schemas/forms.ts";
import { MemberParams, PatchMemberBody } from "@miranda/contract/schemas/members.ts";
import {
  AddProjectTeamBody,
  AddTeamPersonBody,
  PatchTeamPersonBody,
  ProjectTeamList,
  Team,
  TeamBody,
  TeamDetails,
  TeamList,
} from "@miranda/contract/schemas/people/teams.ts";
import { z } from "zod";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import type { Teams } from "./teams-service.ts";

const tags = ["teams"];
const Nothing = z.object({});
const TeamParams = z.object({ id: Id, teamId: Id });

export function teamRoutes(app: Http, teams: Teams): void {
  app.get("/api/v3/teams", { schema: { tags, response: { 200: TeamList } } }, (request) =>
    teams.list(callerOf(request)),
  );

  app.post("/api/v3/teams", { schema: { tags, body: TeamBody, response: { 200: Team } } }, (request) =>
    teams.create(callerOf(request), request.body.name),
  );

  app.get("/api/v3/teams/:id", { schema: { tags, params: IdParams, response: { 200: TeamDetails } } }, (request) =>
    teams.details(callerOf(request), request.params.id),
  );

  app.patch(
    "/api/v3/teams/:id",
    { schema: { tags, params: IdParams, body: TeamBody, response: { 200: Team } } },
    (request) => teams.rename(callerOf(request), request.params.id, request.body.name),
  );

  app.delete(
    "/api/v3/teams/:id",
    { schema: { tags, params: IdParams, response: { 200: Nothing } } },
    async (request) => {
      await teams.remove(callerOf(request), request.params.id);
      return {};
    },
  );

  app.post(
    "/api/v3/teams/:id/members",
    { schema: { tags, params: IdParams, body: AddTeamPersonBody, response: { 200: TeamDetails } } },
    async (request) => {
      await teams.addPerson(callerOf(request), request.params.id, request.body);
      return teams.details(callerOf(request), request.params.id);
    },
  );

  app.patch(
    "/api/v3/teams/:id/members/:memberId",
    { schema: { tags, params: MemberParams, body: PatchTeamPersonBody, response: { 200: Nothing } } },
    async (request) => {
      await teams.changeRole(callerOf(request), request.params.id, request.params.memberId, request.body.role);
      return {};
    },
  );

  app.delete(
    "/api/v3/teams/:id/members/:memberId",
    { schema: { tags, params: MemberParams, response: { 200: Nothing } } },
    async (request) => {
      await teams.removePerson(callerOf(request), request.params.id, request.params.memberId);
      return {};
    },
  );

  app.get(
    "/api/v3/projects/:id/teams",
    { schema: { tags, params: IdParams, response: { 200: ProjectTeamList } } },
    (request) => teams.listInProject(callerOf(request), request.params.id),
  );

  app.post(
    "/api/v3/projects/:id/teams",
    { schema: { tags, params: IdParams, body: AddProjectTeamBody, response: { 200: ProjectTeamList } } },
    async (request) => {
      await teams.addToProject(callerOf(request), request.params.id, request.body);
      return teams.listInProject(callerOf(request), request.params.id);
    },
  );

  app.patch(
    "/api/v3/projects/:id/teams/:teamId",
    { schema: { tags, params: TeamParams, body: PatchMemberBody, response: { 200: Nothing } } },
    async (request) => {
      const { id, teamId } = request.params;
      await teams.changeInProject(callerOf(request), id, teamId, request.body.role);
      return {};
    },
  );

  app.delete(
    "/api/v3/projects/:id/teams/:teamId",
    { schema: { tags, params: TeamParams, response: { 200: Nothing } } },
    async (request) => {
      await teams.removeFromProject(callerOf(request), request.params.id, request.params.teamId);
      return {};
    },
  );
}
