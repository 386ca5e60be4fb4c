import { team as limits } from "@miranda/contract/schemas/people/limits.ts";
import type { MemberRole } from "@miranda/contract/schemas/members.ts";
import type {
  AddProjectTeamBody,
  AddTeamPersonBody,
  ProjectTeam,
  Team,
  TeamDetails,
  TeamRole,
} from "@miranda/contract/schemas/people/teams.ts";

import { actorOf, recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import { newId } from "../../../platform/crypto.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { addWithinQuota } from "../../../platform/limits/quota-lock.ts";
import { type Auth, avatarAddress } from "../../auth/auth-service.ts";
import { lockOwner } from "../members/lock-owner.ts";
import { memberQueries } from "../members/members-queries.ts";
import { rights, roleWords } from "../members/members-service.ts";
import type { ChangeMembership, Notify } from "../members/membership-notifications.ts";
import type { Projects } from "../projects-service.ts";
import { teamQueries } from "./teams-queries.ts";

interface Dependencies {
  db: Db;
  auth: Pick<Auth, "getAccountByLogin">;
  projects: Pick<Projects, "getProject">;
  changeMembership: ChangeMembership;
}

export type Teams = ReturnType<typeof createTeams>;
type Right = "read" | "manage" | "own";

/** Named sets of people, and the projects that have them as members. */
export function createTeams({ db, auth, projects, changeMembership }: Dependencies) {
  const queries = teamQueries(db);

  /** Only its people and administrators know a team. `on` may be a transaction that has locked it. */
  async function getTeam(caller: Caller, id: string, right: Right, on: Db = db): Promise<Team> {
    const team = await teamQueries(on).find(id, caller.accountId);
    if (!team || (team.role === null && !caller.isAdmin)) throw new AppError("team_not_found");
    const isOwner = caller.isAdmin || team.role === "owner";
    if (right === "own" && !isOwner) throw new AppError("team_owner_only");
    if (right === "manage" && !isOwner && team.role !== "manager") throw new AppError("team_read_only");
    return team;
  }

  /** Looks at the rights again under the lock: they may have changed meanwhile. */
  function change<Result>(
    caller: Caller,
    id: string,
    right: Right,
    act: (trx: Db, team: Team, notify: Notify) => Promise<Result>,
  ): Promise<Result> {
    return changeMembership(caller, async (trx, notify) => {
      if (!(await teamQueries(trx).lock(id))) throw new AppError("team_not_found");
      return act(trx, await getTeam(caller, id, right, trx), notify);
    });
  }

  const record = (trx: Db, caller: Caller, { id, name }: Pick<Team, "id" | "name">, change: string) =>
    recordAuditEvent(trx, {
      ...actorOf(caller),
      kind: "team.change",
      subject: { kind: "team", id, name },
      details: { change },
    });

  async function list(caller: Caller): Promise<Team[]> {
    return queries.listOf(caller.accountId);
  }

  async function details(caller: Caller, id: string): Promise<TeamDetails> {
    const team = await getTeam(caller, id, "read");
    const [people, shared] = await Promise.all([queries.people(id), queries.projects(id)]);
    return {
      team,
      people: people.map(({ avatar_version, ...person }) => ({
        ...person,
        avatar: avatarAddress(person.id, avatar_version),
      })),
      projects: shared,
    };
  }

  async function changeRole(caller: Caller, id: string, personId: string, role: TeamRole): Promise<void> {
    await change(caller, id, role === "owner" ? "own" : "manage", async (trx, team, notify) => {
      const inside = teamQueries(trx);
      const before = await inside.roleOf(id, personId);
      if (!before) throw new AppError("team_person_not_found");
      if (before === role) return;
      if (before === "owner") throw new AppError("team_needs_owner");
      if (role === "owner") {
        const owner = (await inside.people(id)).find((person) => person.role === "owner");
        if (owner) await inside.setRole(id, owner.id, "manager");
      }
      await inside.setRole(id, personId, role);
      const name = (await memberQueries(trx).username(personId)) ?? "";
      await record(trx, caller, team, `made ${name} ${teamRoleWords[role]}`);
      const title = `${caller.username} made you ${teamRoleWords[role]} of ${team.name}`;
      if (personId !== caller.accountId) await notify({ accountId: personId, title, body: teamRights[role] });
    });
  }

  return {
    list,
    details,
    changeRole,

    async create(caller: Caller, name: string): Promise<Team> {
      const id = newId();
      await addWithinQuota(db, { what: "teams", owner: caller.accountId }, async (trx) => {
        const inside = teamQueries(trx);
        if ((await inside.countOwned(caller.accountId)) >= limits.ownedMax) throw new AppError("too_many_teams");
        await inside.insert(id, name, caller.accountId);
        await recordAuditEvent(trx, { ...actorOf(caller), kind: "team.create", subject: { kind: "team", id, name } });
      });
      return getTeam(caller, id, "own");
    },

    async rename(caller: Caller, id: string, name: string): Promise<Team> {
      await change(caller, id, "manage", async (trx, team) => {
        await teamQueries(trx).rename(id, name);
        await record(trx, caller, team, `renamed it to ${name}`);
      });
      return getTeam(caller, id, "read");
    },

    async remove(caller: Caller, id: string): Promise<void> {
      await change(caller, id, "own", async (trx, { name }, notify) => {
        const inside = teamQueries(trx);
        const people = await inside.people(id);
        await inside.remove(id);
        await recordAuditEvent(trx, { ...actorOf(caller), kind: "team.delete", subject: { kind: "team", id, name } });
        for (const { id: accountId } of people)
          if (accountId !== caller.accountId)
            await notify({
              ...{ accountId, title: `${caller.username} deleted the team ${name}` },
              body: "You lost the projects that you were in through this team.",
            });
      });
    },

    async addPerson(caller: Caller, id: string, { user, role }: AddTeamPersonBody): Promise<void> {
      await getTeam(caller, id, "manage");
      const account = await auth.getAccountByLogin(caller, user);
      await change(caller, id, "manage", async (trx, team, notify) => {
        if (team.people >= limits.peopleMax) throw new AppError("team_full");
        if (!(await teamQueries(trx).addPerson(id, account.id, role))) throw new AppError("already_in_team");
        await record(trx, caller, team, `added ${account.username}`);
        await notify({
          ...{ accountId: account.id, title: `${caller.username} added you to the team ${team.name}` },
          body: team.projects === 0 ? "It has no projects yet." : "You find its projects under Shared with you.",
        });
      });
    },

    /** Managers remove others, and everybody may leave. The owner gives the team away or deletes it. */
    async removePerson(caller: Caller, id: string, personId: string): Promise<void> {
      const isLeaving = personId === caller.accountId;
      await change(caller, id, isLeaving ? "read" : "manage", async (trx, team, notify) => {
        const inside = teamQueries(trx);
        const role = await inside.roleOf(id, personId);
        if (!role) throw new AppError("team_person_not_found");
        if (role === "owner") throw new AppError("team_needs_owner");
        await inside.removePerson(id, personId);
        const name = (await memberQueries(trx).username(personId)) ?? "";
        await record(trx, caller, team, isLeaving ? "left it" : `removed ${name}`);
        if (!isLeaving)
          await notify({
            ...{ accountId: personId, title: `${caller.username} removed you from the team ${team.name}` },
            body: "You lost the projects that you were in through this team.",
          });
      });
    },

    async listInProject(caller: Caller, projectId: string): Promise<ProjectTeam[]> {
      await projects.getProject(caller, projectId, "read");
      return queries.listInProject(projectId, caller.accountId);
    },

    /** The owner of a project shares it with a team that they are in. */
    async addToProject(caller: Caller, projectId: string, { team: id, role }: AddProjectTeamBody): Promise<void> {
      const { owner_id, name: project } = await projects.getProject(caller, projectId, "own");
      await change(caller, id, "read", async (trx, team, notify) => {
        const inside = teamQueries(trx);
        await lockOwner(trx, caller, projectId, owner_id);
        if ((await inside.countInProject(projectId)) >= limits.perProject) throw new AppError("too_many_project_teams");
        if (!(await inside.addToProject(projectId, id, role))) throw new AppError("team_already_member");
        await recordInProject(trx, caller, projectId, { kind: "member.add", team, role });
        for (const { id: accountId } of await inside.people(id))
          if (accountId !== caller.accountId && accountId !== owner_id)
            await notify({
              ...{ accountId, projectId, title: `${caller.username} shares ${project} with the team ${team.name}` },
              body: rights[role],
            });
      });
    },

    async changeInProject(caller: Caller, projectId: string, id: string, role: MemberRole): Promise<void> {
      const { owner_id } = await projects.getProject(caller, projectId, "own");
      await db.transaction().execute(async (trx) => {
        const inside = teamQueries(trx);
        await lockOwner(trx, caller, projectId, owner_id);
        if (!(await inside.changeInProject(projectId, id, role))) throw new AppError("team_not_found");
        const name = (await inside.find(id, caller.accountId))?.name ?? "";
        await recordInProject(trx, caller, projectId, { kind: "member.change", team: { id, name }, role });
      });
    },

    async removeFromProject(caller: Caller, projectId: string, id: string): Promise<void> {
      const { owner_id, name: project } = await projects.getProject(caller, projectId, "own");
      await changeMembership(caller, async (trx, notify) => {
        const inside = teamQueries(trx);
        await lockOwner(trx, caller, projectId, owner_id);
        if (!(await inside.removeFromProject(projectId, id))) throw new AppError("team_not_found");
        const name = (await inside.find(id, caller.accountId))?.name ?? "";
        await recordInProject(trx, caller, projectId, { kind: "member.remove", team: { id, name } });
        for (const { id: accountId } of await inside.people(id))
          if (accountId !== caller.accountId && accountId !== owner_id)
            await notify({
              ...{ accountId, title: `${caller.username} removed the team ${name} from ${project}` },
              body: "You are no longer in this project through the team.",
            });
      });
    },
  };
}

interface ProjectChange {
  kind: "member.add" | "member.change" | "member.remove";
  team: Pick<Team, "id" | "name">;
  role?: MemberRole;
}

function recordInProject(trx: Db, caller: Caller, projectId: string, { kind, team, role }: ProjectChange) {
  const subject = { kind: "team", id: team.id, name: team.name };
  const details = role && { details: { role: roleWords[role] } };
  return recordAuditEvent(trx, { ...actorOf(caller), kind, projectId, subject, ...details });
}

const teamRoleWords: Record<TeamRole, string> = { owner: "the owner", manager: "a manager", member: "a member" };

const teamRights: Record<TeamRole, string> = {
  owner: "You say who is in the team, and you can delete it.",
  manager: "You say who is in the team.",
  member: "You can open the team's projects.",
};
