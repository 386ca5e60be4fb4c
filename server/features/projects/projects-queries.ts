import type { ProjectAccess, Visibility } from "@miranda/contract/schemas/projects.ts";
import { type Expression, sql, type SqlBool } from "kysely";

import { inTransaction } from "../../platform/database/transactions.ts";
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
  /** The only project that the caller's token can use. */
  onlyProject: string | null | Expression<string | null>;
}

/** The account of each row of a query, for a rule that checks every account. */
export const eachAccount: Asker = {
  accountId: sql.ref<string>("accounts.id"),
  isAdmin: sql.ref<boolean>("accounts.is_admin"),
  onlyProject: null,
};

/**
 * A person's access to a project, null for none: the one place that decides who reads and writes. Nobody has access to
 * a deleted project, which has no owner. With the visibility "private" it is the access that people have as members,
 * not as readers of a public project.
 */
export function accessFor(
  caller: Asker,
  visibility: Expression<Visibility> = sql.ref<Visibility>("projects.visibility"),
) {
  // "editor" is before "viewer" in the alphabet: the best role of somebody who is in the project in several ways.
  const role = sql`(select min(role) from project_people where project_id = projects.id and account_id = ${caller.accountId})`;
  return sql<ProjectAccess | null>`case
    when projects.owner_id is null or projects.id <> ${caller.onlyProject}::uuid then null
    when projects.owner_id = ${caller.accountId} or ${caller.isAdmin}::boolean then 'owner'
    when ${role} = 'editor' then 'editor'
    when ${visibility} = 'public' then 'viewer'
    else ${role}
  end`;
}

/** Without a visibility, the installation's setting decides. */
interface NewProject {
  id: string;
  owner_id: string;
  name: string;
  description: string;
  visibility?: Visibility | undefined;
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

    memberAccess: async (caller: Caller, id: string): Promise<ProjectAccess | null> => {
      const access = accessFor(caller, sql<Visibility>`'private'`);
      return (
        (await db.selectFrom("projects").select(access.as("access")).where("id", "=", id).executeTakeFirst())?.access ??
        null
      );
    },

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

    insert: ({ visibility, ...row }: NewProject) =>
      db
        .insertInto("projects")
        .values({
          ...row,
          visibility: visibility ?? sql<Visibility>`(select default_visibility from installation_settings)`,
        })
        .execute(),

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
      await inTransaction(db, async (trx) => {
        await trx
          .updateTable("projects")
          .set({ ...change, updated_at: now })
          .where("id", "=", id)
          .execute();
        // Following ends with read access.
        if (change.visibility === "private") await removeFollowsWithoutAccess(trx, [id]);
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

    /** Inside a transaction, until it ends. */
    lockOwned: (id: string, ownerId: string): Promise<{ name: string } | undefined> =>
      db
        .selectFrom("projects")
        .select("name")
        .where("id", "=", id)
        .where("owner_id", "=", ownerId)
        .forNoKeyUpdate()
        .executeTakeFirst(),

    /** The owner, who stays the same until the transaction ends. Undefined when the project is gone. */
    lockForMember: async (id: string): Promise<string | undefined> => {
      const project = await db
        .selectFrom("projects")
        .select("owner_id")
        .where("id", "=", id)
        .forShare()
        .executeTakeFirst();
      return project?.owner_id ?? undefined;
    },

    /** Also through a team. */
    isEditor: async (projectId: string, accountId: string): Promise<boolean> => {
      const editor = await db
        .selectFrom("project_people")
        .select("role")
        .where("project_id", "=", projectId)
        .where("account_id", "=", accountId)
        .where("role", "=", "editor")
        .limit(1)
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
        .onConflict((conflict) => conflict.columns(["project_id", "account_id"]).doUpdateSet({ role: "editor" }))
        .execute();
      return true;
    },
  };
}

/** Following ends with read access. */
export async function removeFollowsWithoutAccess(db: Db, projectIds: readonly string[]): Promise<void> {
  await sql`delete from follows using projects
    where follows.project_id = any(${projectIds}::uuid[]) and projects.id = follows.project_id
      and projects.visibility = 'private' and projects.owner_id <> follows.account_id
      and not exists (select 1 from project_people as person
        where person.project_id = projects.id and person.account_id = follows.account_id)`.execute(db);
}
