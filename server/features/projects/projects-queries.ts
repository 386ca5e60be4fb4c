import type { MemberRole } from "@miranda/contract/schemas/members.ts";
import type { ProjectAccess, Visibility } from "@miranda/contract/schemas/projects.ts";
import { type Expression, type ExpressionBuilder, sql, type SqlBool } from "kysely";

import type { Tables } from "../../tables/tables.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Db } from "../../platform/database/database.ts";
import { isAliveSql } from "../../platform/database/job-states-queries.ts";

export interface Page {
  query: string;
  limit: number;
  offset: number;
}

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

function readable(caller: Caller) {
  return (eb: ExpressionBuilder<Tables, "projects">) =>
    eb.or([
      eb("projects.visibility", "=", "public"),
      eb("projects.owner_id", "=", caller.accountId),
      sql<SqlBool>`${caller.isAdmin}::boolean`,
      eb.exists(
        eb
          .selectFrom("project_members")
          .select("project_members.account_id")
          .whereRef("project_members.project_id", "=", "projects.id")
          .where("project_members.account_id", "=", caller.accountId),
      ),
    ]);
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

  const listed = (caller: Caller, page: Page) => {
    const list = described(caller)
      .select(sql<string>`left(projects.description, ${listedDescription})`.as("description"))
      .orderBy("projects.id", "desc")
      .limit(page.limit)
      .offset(page.offset);
    return page.query ? list.where(sql<SqlBool>`strpos(lower(projects.name), lower(${page.query})) > 0`) : list;
  };

  return {
    find: (caller: Caller, id: string) =>
      described(caller).select("projects.description").where("projects.id", "=", id).executeTakeFirst(),

    findByMetadataId: (caller: Caller, metadataId: number) =>
      described(caller)
        .select("projects.description")
        .where("projects.metadata_id", "=", metadataId)
        .executeTakeFirst(),

    listReadable: (caller: Caller, page: Page & { include_own: boolean; writable: boolean }) => {
      let list = listed(caller, page).where(readable(caller));
      if (!page.include_own) list = list.where("projects.owner_id", "<>", caller.accountId);
      if (page.writable) list = list.where(sql<SqlBool>`${accessFor(caller)} in ('owner', 'editor')`);
      return list.execute();
    },

    listOwned: (caller: Caller, page: Page) =>
      listed(caller, page).where("projects.owner_id", "=", caller.accountId).execute(),

    listFollowed: (caller: Caller, page: Page) =>
      listed(caller, page)
        .innerJoin("follows as mine", "mine.project_id", "projects.id")
        .where("mine.account_id", "=", caller.accountId)
        .where(readable(caller))
        .execute(),

    listWorkflows: (projectId: string) =>
      db
        .selectFrom("graphs")
        .select([
          "id",
          "metadata_id",
          "name",
          sql<string>`left(description, ${listedDescription * 5})`.as("description"),
        ])
        .where("project_id", "=", projectId)
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

    follow: (accountId: string, projectId: string) =>
      db
        .insertInto("follows")
        .values({ account_id: accountId, project_id: projectId })
        .onConflict((conflict) => conflict.doNothing())
        .execute(),

    unfollow: (accountId: string, projectId: string) =>
      db.deleteFrom("follows").where("account_id", "=", accountId).where("project_id", "=", projectId).execute(),

    listMembers: (projectId: string) =>
      db
        .selectFrom("accounts")
        .innerJoin(
          (eb) =>
            eb
              .selectFrom("projects")
              .select(["owner_id as account_id", sql<ProjectAccess>`'owner'`.as("role")])
              .where("id", "=", projectId)
              .unionAll(
                eb
                  .selectFrom("project_members")
                  .select(["account_id", sql<ProjectAccess>`role`.as("role")])
                  .where("project_id", "=", projectId),
              )
              .as("members"),
          (join) => join.onRef("members.account_id", "=", "accounts.id"),
        )
        .select(["accounts.id", "username", "email", "first_name", "last_name", "avatar_version", "members.role"])
        .where("accounts.deleted_at", "is", null)
        .orderBy(sql`(members.role = 'owner') desc, lower(username)`)
        .execute(),

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
