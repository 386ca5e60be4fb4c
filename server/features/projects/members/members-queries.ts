import type { MemberPageQuery, MemberRole } from "@miranda/contract/schemas/members.ts";
import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { contains } from "../../../platform/database/name-search-queries.ts";
import { removeFollowsWithoutAccess } from "../projects-queries.ts";

/** A member as the list of a project has it. */
interface MemberRow {
  id: string;
  username: string;
  email: string;
  first_name: string;
  last_name: string;
  avatar_version: string | null;
  role: ProjectAccess;
}

/** People who are members themselves. Those of teams are in `teams-queries.ts`. */
export function memberQueries(db: Db) {
  return {
    /** The owner first, then by username. The owner is on the first page only. */
    list: async (projectId: string, { query, after, limit }: Omit<MemberPageQuery, "limit"> & { limit: number }) => {
      const people = sql<string>`lower(username || ' ' || first_name || ' ' || last_name)`;
      const named = query === "" ? sql`` : sql`and ${contains(people, query)}`;
      const person = sql`(select id, username, email, first_name, last_name, avatar_version from accounts
        where id = account_id and deleted_at is null ${named} offset 0) as person`;
      const later = after === undefined ? sql`` : sql`where lower(username) > lower(${after})`;
      const { rows } = await sql<MemberRow>`
        select * from (
          select person.*, 'owner' as role
          from (select owner_id as account_id from projects where id = ${projectId} and ${after === undefined}::boolean) as owner
          cross join lateral ${person}
          union all
          select person.*, role from project_members cross join lateral ${person}
          where project_members.project_id = ${projectId}
        ) as members ${later}
        order by (role = 'owner') desc, lower(username) limit ${limit}`.execute(db);
      return rows;
    },

    add: async (projectId: string, accountId: string, role: MemberRole): Promise<boolean> => {
      const inserted = await db
        .insertInto("project_members")
        .values({ project_id: projectId, account_id: accountId, role })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return (inserted.numInsertedOrUpdatedRows ?? 0n) > 0n;
    },

    change: async (projectId: string, accountId: string, role: MemberRole): Promise<boolean> => {
      const result = await db
        .updateTable("project_members")
        .set({ role })
        .where("project_id", "=", projectId)
        .where("account_id", "=", accountId)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    /** Inside a transaction. */
    remove: async (projectId: string, accountId: string): Promise<boolean> => {
      const result = await db
        .deleteFrom("project_members")
        .where("project_id", "=", projectId)
        .where("account_id", "=", accountId)
        .executeTakeFirst();
      await removeFollowsWithoutAccess(db, [projectId]);
      return result.numDeletedRows > 0n;
    },

    /** Whether somebody is in the project through a team. */
    isInThroughTeam: async (projectId: string, accountId: string): Promise<boolean> => {
      const row = await db
        .selectFrom("project_people")
        .select("team_id")
        .where("project_id", "=", projectId)
        .where("account_id", "=", accountId)
        .where("team_id", "is not", null)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Of somebody who is a member themselves, until the transaction ends. */
    lockRole: async (projectId: string, accountId: string): Promise<MemberRole | undefined> => {
      const row = await db
        .selectFrom("project_members")
        .select("role")
        .where("project_id", "=", projectId)
        .where("account_id", "=", accountId)
        .forUpdate()
        .executeTakeFirst();
      return row?.role;
    },

    /** Undefined for a deleted account. */
    username: async (accountId: string): Promise<string | undefined> => {
      const row = await db
        .selectFrom("accounts")
        .select("username")
        .where("id", "=", accountId)
        .where("deleted_at", "is", null)
        .executeTakeFirst();
      return row?.username;
    },
  };
}
