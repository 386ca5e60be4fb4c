import { team as limits } from "@miranda/contract/schemas/people/limits.ts";
import type { MemberRole } from "@miranda/contract/schemas/members.ts";
import type { ProjectTeam, Team, TeamRole } from "@miranda/contract/schemas/people/teams.ts";
import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { removeFollowsWithoutAccess } from "../projects-queries.ts";

const counts = sql`(select count(*) from team_members join accounts on accounts.id = account_id
    where team_id = teams.id and deleted_at is null) as people,
  (select count(*) from project_teams join projects on projects.id = project_id
    where team_id = teams.id and owner_id is not null) as projects`;

export function teamQueries(db: Db) {
  const projectsOf = async (teamId: string): Promise<string[]> => {
    const rows = await db.selectFrom("project_teams").select("project_id").where("team_id", "=", teamId).execute();
    return rows.map(({ project_id }) => project_id);
  };

  return {
    listOf: async (accountId: string): Promise<Team[]> => {
      const { rows } = await sql<Team>`select teams.id, name, role, ${counts}
        from team_members join teams on teams.id = team_id
        where account_id = ${accountId} order by lower(name), teams.id`.execute(db);
      return rows;
    },

    find: async (id: string, accountId: string): Promise<Team | undefined> => {
      const { rows } = await sql<Team>`select teams.id, name,
          (select role from team_members where team_id = teams.id and account_id = ${accountId}) as role, ${counts}
        from teams where id = ${id}`.execute(db);
      return rows[0];
    },

    /** Locks the team until the transaction ends: of two changes at once, the second sees the first. */
    lock: async (id: string): Promise<boolean> => {
      const row = await db.selectFrom("teams").select("id").where("id", "=", id).forUpdate().executeTakeFirst();
      return row !== undefined;
    },

    roleOf: async (id: string, accountId: string): Promise<TeamRole | undefined> => {
      const row = await db
        .selectFrom("team_members")
        .select("role")
        .where("team_id", "=", id)
        .where("account_id", "=", accountId)
        .executeTakeFirst();
      return row?.role;
    },

    people: (id: string) =>
      db
        .selectFrom("team_members")
        .innerJoin("accounts", "accounts.id", "team_members.account_id")
        .select(["accounts.id", "username", "first_name", "last_name", "avatar_version", "team_members.role"])
        .where("team_id", "=", id)
        .where("deleted_at", "is", null)
        .orderBy(sql`array_position(array['owner', 'manager', 'member'], team_members.role)`)
        .orderBy(sql`lower(username)`)
        .limit(limits.peopleMax)
        .execute(),

    projects: (id: string) =>
      db
        .selectFrom("project_teams")
        .innerJoin("projects", "projects.id", "project_teams.project_id")
        .select(["projects.id", "projects.name", "project_teams.role"])
        .where("team_id", "=", id)
        .where("owner_id", "is not", null)
        .orderBy("projects.id", "desc")
        .limit(limits.projectsMax)
        .execute(),

    countOwned: async (accountId: string): Promise<number> => {
      const { count } = await db
        .selectFrom("team_members")
        .select(sql<number>`count(*)`.as("count"))
        .where("account_id", "=", accountId)
        .where("role", "=", "owner")
        .executeTakeFirstOrThrow();
      return count;
    },

    insert: async (id: string, name: string, ownerId: string): Promise<void> => {
      await db.insertInto("teams").values({ id, name }).execute();
      await db.insertInto("team_members").values({ team_id: id, account_id: ownerId, role: "owner" }).execute();
    },

    rename: async (id: string, name: string): Promise<void> => {
      await db.updateTable("teams").set({ name }).where("id", "=", id).execute();
    },

    /** Inside a transaction. */
    remove: async (id: string): Promise<void> => {
      const projects = await projectsOf(id);
      await db.deleteFrom("teams").where("id", "=", id).execute();
      await removeFollowsWithoutAccess(db, projects);
    },

    addPerson: async (id: string, accountId: string, role: TeamRole): Promise<boolean> => {
      const added = await db
        .insertInto("team_members")
        .values({ team_id: id, account_id: accountId, role })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return (added.numInsertedOrUpdatedRows ?? 0n) > 0n;
    },

    setRole: async (id: string, accountId: string, role: TeamRole): Promise<void> => {
      await db
        .updateTable("team_members")
        .set({ role })
        .where("team_id", "=", id)
        .where("account_id", "=", accountId)
        .execute();
    },

    /** Inside a transaction. */
    removePerson: async (id: string, accountId: string): Promise<void> => {
      await db.deleteFrom("team_members").where("team_id", "=", id).where("account_id", "=", accountId).execute();
      await removeFollowsWithoutAccess(db, await projectsOf(id));
    },

    listInProject: async (projectId: string, accountId: string): Promise<ProjectTeam[]> => {
      const { rows } = await sql<ProjectTeam>`select teams.id, name, project_teams.role,
          (select count(*) from team_members join accounts on accounts.id = account_id
            where team_id = teams.id and deleted_at is null) as people,
          exists (select from team_members where team_id = teams.id and account_id = ${accountId}) as yours
        from project_teams join teams on teams.id = team_id
        where project_id = ${projectId} order by lower(name), teams.id limit ${limits.perProject}`.execute(db);
      return rows;
    },

    countInProject: async (projectId: string): Promise<number> => {
      const { count } = await db
        .selectFrom("project_teams")
        .select(sql<number>`count(*)`.as("count"))
        .where("project_id", "=", projectId)
        .executeTakeFirstOrThrow();
      return count;
    },

    addToProject: async (projectId: string, teamId: string, role: MemberRole): Promise<boolean> => {
      const added = await db
        .insertInto("project_teams")
        .values({ project_id: projectId, team_id: teamId, role })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return (added.numInsertedOrUpdatedRows ?? 0n) > 0n;
    },

    changeInProject: async (projectId: string, teamId: string, role: MemberRole): Promise<boolean> => {
      const changed = await db
        .updateTable("project_teams")
        .set({ role })
        .where("project_id", "=", projectId)
        .where("team_id", "=", teamId)
        .executeTakeFirst();
      return changed.numUpdatedRows > 0n;
    },

    /** Inside a transaction. */
    removeFromProject: async (projectId: string, teamId: string): Promise<boolean> => {
      const removed = await db
        .deleteFrom("project_teams")
        .where("project_id", "=", projectId)
        .where("team_id", "=", teamId)
        .executeTakeFirst();
      await removeFollowsWithoutAccess(db, [projectId]);
      return removed.numDeletedRows > 0n;
    },
  };
}

/** A team whose owner deleted the account. */
export interface LeftTeam {
  id: string;
  name: string;
  /** Null: the team had nobody else, and is deleted. */
  owner: { id: string; username: string } | null;
}

/**
 * Inside the transaction that deletes an account. Its teams go to their first manager, or their first member. A team of nobody
 * else is deleted.
 */
export async function leaveTeams(trx: Db, accountId: string): Promise<LeftTeam[]> {
  const { rows: owned } = await sql<{ id: string; name: string; role: TeamRole }>`
    delete from team_members using teams where teams.id = team_id and account_id = ${accountId}
    returning teams.id, teams.name, team_members.role`.execute(trx);
  const left: LeftTeam[] = [];
  for (const { id, name, role } of owned) {
    if (role !== "owner") continue;
    const { rows } = await sql<{ id: string; username: string }>`
      update team_members set role = 'owner' from accounts
      where accounts.id = account_id and team_id = ${id} and account_id = (
        select account_id from team_members join accounts on accounts.id = account_id
        where team_id = ${id} and deleted_at is null
        order by (team_members.role = 'manager') desc, team_members.created_at, account_id limit 1)
      returning accounts.id, accounts.username`.execute(trx);
    const owner = rows[0] ?? null;
    if (owner === null) await trx.deleteFrom("teams").where("id", "=", id).execute();
    left.push({ id, name, owner });
  }
  return left;
}
