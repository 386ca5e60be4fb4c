import type { MemberPageQuery, MemberRole } from "@miranda/contract/schemas/members.ts";
import type { ProjectAccess, Visibility } from "@miranda/contract/schemas/projects.ts";
import { type Expression, sql, type SqlBool } from "kysely";

import type { Caller } from "../../platform/http/caller.ts";
import type { Db } from "../../platform/database/database.ts";
import { isAliveSql } from "../../platform/database/job-states-queries.ts";
import { contains } from "../../platform/database/name-search-queries.ts";
import { deploymentTitles } from "../../model/deployment-titles-queries.ts";
import type { ProjectPage } from "./project-lists-queries.ts";

// Cards show at most 250 characters. A person who edits a project gets all of it by its id.
const listedDescription = 1_000;

const now = sql<Date>`now()`;

/** An account by its values, or by the columns that hold them. */
export interface Asker {
  accountId: string | Expression<string>;
  isAdmin: boolean | Expression<boolean>;
}

/**
 * A person's access to a project, null for none: the one place that decides who reads and writes. Nobody has access to
 * a deleted project, which has no owner.
 */
export function accessFor(caller: Asker) {
  return sql<ProjectAccess | null>`case
    when projects.owner_id is null then null
    when projects.owner_id = ${caller.accountId} or ${caller.isAdmin}::boolean then 'owner'
    when (select role from project_members where project_id = projects.id and account_id = ${caller.accountId}) = 'editor' then 'editor'
    when projects.visibility = 'public' then 'viewer'
    else (select role from project_members where project_id = projects.id and account_id = ${caller.accountId})
  end`;
}

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

export function createProjectQueries(db: Db) {
  const described = (caller: Caller) =>
    db
      .selectFrom("projects")
      .innerJoin("accounts", "accounts.id", "projects.owner_id")
      .select([
        "projects.id",
        "projects.metadata_id",
        "projects.name",
        "projects.owner_id",
        "projects.visibility",
        "accounts.first_name",
        "accounts.avatar_version",
        accessFor(caller).as("access"),
        sql<boolean>`exists (select 1 from follows where project_id = projects.id and account_id = ${caller.accountId})`.as(
          "following",
        ),
      ]);

  return {
    find: (caller: Caller, id: string) =>
      described(caller).select("projects.description").where("projects.id", "=", id).executeTakeFirst(),

    findByMetadataId: (caller: Caller, metadataId: number) =>
      described(caller)
        .select("projects.description")
        .where("projects.metadata_id", "=", metadataId)
        .executeTakeFirst(),

    /** Projects of a page, in its order. */
    list: (caller: Caller, ids: readonly string[]) =>
      described(caller)
        .select(sql<string>`left(projects.description, ${listedDescription})`.as("description"))
        .where(sql<SqlBool>`projects.id = any(${ids}::uuid[])`)
        .where(sql<SqlBool>`${accessFor(caller)} is not null`)
        .orderBy("projects.id", "desc")
        .execute(),

    findWorkflows: async (projectId: string, { query, after, limit }: ProjectPage): Promise<string[]> => {
      const text = sql<string>`lower(name || ' ' || description)`;
      const rows = await db
        .selectFrom("graphs")
        .select("id")
        .where("project_id", "=", projectId)
        .$if(query !== "", (list) => list.where(contains(text, query)))
        .$if(after !== undefined, (list) => list.where("id", "<", after ?? ""))
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },

    listWorkflows: (ids: readonly string[]) =>
      db
        .selectFrom("graphs")
        .select([
          "id",
          "metadata_id",
          "name",
          sql<string>`left(description, ${listedDescription * 5})`.as("description"),
        ])
        .where(sql<SqlBool>`id = any(${ids}::uuid[])`)
        .orderBy("id", "desc")
        .execute(),

    countOwned: async (accountId: string): Promise<number> => {
      const { count } = await db
        .selectFrom("projects")
        .select(sql<number>`count(*)`.as("count"))
        .where("owner_id", "=", accountId)
        .executeTakeFirstOrThrow();
      return count;
    },

    /** False for a deleted account. Nobody can delete it until the transaction ends. */
    lockOwner: async (accountId: string): Promise<boolean> => {
      const owner = await db
        .selectFrom("accounts")
        .select("id")
        .where("id", "=", accountId)
        .where("deleted_at", "is", null)
        .forShare()
        .executeTakeFirst();
      return owner !== undefined;
    },

    insert: (row: { id: string; owner_id: string; name: string; description: string }) =>
      db.insertInto("projects").values(row).execute(),

    /** Makes a project without workflows private. False when it has one, or another owner. */
    hideIfEmpty: async (id: string, ownerId: string): Promise<boolean> => {
      const result = await db
        .updateTable("projects")
        .set({ visibility: "private" })
        .where("id", "=", id)
        .where("owner_id", "=", ownerId)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom("graphs").select("graphs.id").whereRef("graphs.project_id", "=", "projects.id"))),
        )
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    update: async (id: string, change: { name?: string; description?: string; visibility?: Visibility }) => {
      await db.transaction().execute(async (trx) => {
        await trx
          .updateTable("projects")
          .set({ ...change, updated_at: now })
          .where("id", "=", id)
          .execute();
        // Following ends with read access.
        if (change.visibility === "private") await dropBlindFollows(trx, id);
      });
    },

    countContent: (id: string) =>
      db
        .selectFrom("graphs")
        .select([
          sql<number>`count(*)`.as("graphs"),
          sql<number>`coalesce(sum((select count(*) from nodes where graph_id = graphs.id)), 0)`.as("nodes"),
          sql<number>`coalesce(sum((select count(*) from jobs where graph_id = graphs.id and ${isAliveSql()})), 0)`.as(
            "running_processors",
          ),
        ])
        .where("project_id", "=", id)
        .executeTakeFirstOrThrow(),

    /** What deleting the project would end. */
    deployments: (id: string) => deploymentTitles(db, sql<SqlBool>`graphs.project_id = ${id}`),

    follow: (accountId: string, projectId: string) =>
      db
        .insertInto("follows")
        .values({ account_id: accountId, project_id: projectId })
        .onConflict((conflict) => conflict.doNothing())
        .execute(),

    unfollow: (accountId: string, projectId: string) =>
      db.deleteFrom("follows").where("account_id", "=", accountId).where("project_id", "=", projectId).execute(),

    /** The owner first, then by username. The owner is on the first page only. */
    listMembers: async (
      projectId: string,
      { query, after, limit }: Omit<MemberPageQuery, "limit"> & { limit: number },
    ) => {
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

    addMember: async (projectId: string, accountId: string, role: MemberRole) => {
      const inserted = await db
        .insertInto("project_members")
        .values({ project_id: projectId, account_id: accountId, role })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return (inserted.numInsertedOrUpdatedRows ?? 0n) > 0n;
    },

    changeMember: async (projectId: string, accountId: string, role: MemberRole) => {
      const result = await db
        .updateTable("project_members")
        .set({ role })
        .where("project_id", "=", projectId)
        .where("account_id", "=", accountId)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    removeMember: (projectId: string, accountId: string) =>
      db.transaction().execute(async (trx) => {
        const result = await trx
          .deleteFrom("project_members")
          .where("project_id", "=", projectId)
          .where("account_id", "=", accountId)
          .executeTakeFirst();
        await dropBlindFollows(trx, projectId);
        return result.numDeletedRows > 0n;
      }),

    /** Inside a transaction, until it ends. */
    lockOwned: async (id: string, ownerId: string): Promise<boolean> => {
      const owned = db.selectFrom("projects").select("id").where("id", "=", id).where("owner_id", "=", ownerId);
      return (await owned.forNoKeyUpdate().executeTakeFirst()) !== undefined;
    },

    isEditor: async (projectId: string, accountId: string): Promise<boolean> => {
      const editor = await db
        .selectFrom("project_members")
        .select("role")
        .where("project_id", "=", projectId)
        .where("account_id", "=", accountId)
        .where("role", "=", "editor")
        .forShare()
        .executeTakeFirst();
      return editor !== undefined;
    },

    /** The account leaves every project, and follows none. */
    removeMemberships: async (accountId: string): Promise<void> => {
      await db.deleteFrom("project_members").where("account_id", "=", accountId).execute();
      await db.deleteFrom("follows").where("account_id", "=", accountId).execute();
    },

    /** The old owner stays as an editor; nobody is both owner and member. Inside a transaction. */
    transfer: async (projectId: string, from: string, to: string): Promise<boolean> => {
      const moved = await db
        .updateTable("projects")
        .set({ owner_id: to, updated_at: now })
        .where("id", "=", projectId)
        .where("owner_id", "=", from)
        .executeTakeFirst();
      if (moved.numUpdatedRows === 0n) return false;
      await db.deleteFrom("project_members").where("project_id", "=", projectId).where("account_id", "=", to).execute();
      await db
        .insertInto("project_members")
        .values({ project_id: projectId, account_id: from, role: "editor" })
        .execute();
      return true;
    },
  };
}

async function dropBlindFollows(db: Db, projectId: string): Promise<void> {
  await sql`delete from follows using projects
    where follows.project_id = ${projectId} and projects.id = follows.project_id and projects.visibility = 'private'
      and projects.owner_id <> follows.account_id
      and not exists (select 1 from project_members m where m.project_id = projects.id and m.account_id = follows.account_id)`.execute(
    db,
  );
}
