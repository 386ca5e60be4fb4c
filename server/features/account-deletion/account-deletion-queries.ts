import { accountDeletion as limits } from "@miranda/contract/limits.ts";
import type { AccountDeletion, SharedProject } from "@miranda/contract/schemas/account/account-deletion.ts";
import { type RawBuilder, sql, type SqlBool } from "kysely";

import { removal } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";
import { deploymentTitles } from "../../model/deployment-titles-queries.ts";
import { isAliveSql } from "../../platform/database/job-states-queries.ts";

type ContentCounts = Pick<AccountDeletion, "projects" | "workflows" | "models" | "running_sessions">;
type PeopleCounts = Pick<AccountDeletion, "members" | "followers" | "memberships" | "shared_count">;

/** A deleted account that still has something to remove. */
export interface Leftover {
  account_id: string;
  username: string;
}

const deletedAuthor = "Deleted account";

/** What the account logged, registered and moved keeps its place, without a name. */
async function forgetAuthor(trx: Db, accountId: string, username: string) {
  const rows = (table: string) => sql`where ctid = any(array(
    select ctid from ${sql.table(table)} where account_id = ${accountId} limit ${removal.rowsPerBatch}))`;
  const runs = await sql`
    with own as (
      update tracked_runs set account_id = null,
        user_name = case user_name when ${username} then ${deletedAuthor} else user_name end
      ${rows("tracked_runs")} returning id
    ), tags as (
      update tracked_tags set value = ${deletedAuthor} from own
      where run_id = own.id and key = 'mlflow.user' and value = ${username}
    )
    select id from own`.execute(trx);
  const authored = [];
  for (const table of ["model_versions", "model_alias_moves"])
    authored.push(
      await sql`update ${sql.table(table)} set account_id = null,
        author = case author when ${username} then ${deletedAuthor} else author end ${rows(table)}`.execute(trx),
    );
  return [{ numAffectedRows: BigInt(runs.rows.length) }, ...authored];
}

export function createAccountDeletionQueries(db: Db) {
  async function onlyRow<Row>(query: RawBuilder<Row>): Promise<Row> {
    const [row] = (await query.execute(db)).rows;
    if (!row) throw new Error("Counts are always one row.");
    return row;
  }

  return {
    /** What the account owns. */
    countContent: (accountId: string): Promise<ContentCounts> =>
      onlyRow(
        sql<ContentCounts>`
        with own as materialized (select id from projects where owner_id = ${accountId}),
          workflows as materialized (select graphs.id from own join graphs on graphs.project_id = own.id)
        select (select count(*) from own) as projects,
          (select count(*) from workflows) as workflows,
          (select count(*) from own join models on models.project_id = own.id and models.deleted_at is null) as models,
          (select count(*) from jobs where ${isAliveSql("jobs.state")}
            and (account_id = ${accountId} or project_id in (select id from own))) as running_sessions`,
      ),

    /** Who else uses what it owns. */
    countPeople: (accountId: string): Promise<PeopleCounts> =>
      onlyRow(
        sql<PeopleCounts>`
        with own as materialized (select id from projects where owner_id = ${accountId}),
          people as materialized (select project_id, account_id, role from own join project_people on project_id = own.id
            where account_id <> ${accountId})
        select (select count(distinct account_id) from people) as members,
          (select count(distinct project_id) from people where role = 'editor') as shared_count,
          (select count(distinct account_id) from follows join own on own.id = project_id
            where account_id <> ${accountId}) as followers,
          (select count(distinct project_id) from project_people where account_id = ${accountId}
            and project_id not in (select id from own)) as memberships`,
      ),

    /** What it serves, or what is served from its projects. */
    deployments: (accountId: string) =>
      deploymentTitles(db, sql<SqlBool>`deployments.owner_id = ${accountId} or projects.owner_id = ${accountId}`),

    /** Inside a transaction. Its deployments stay with their projects, and serve nothing until somebody takes them over. */
    leaveDeployments: async (accountId: string): Promise<void> => {
      await db.updateTable("deployments").set({ owner_id: null }).where("owner_id", "=", accountId).execute();
      await db.deleteFrom("deployment_tokens").where("account_id", "=", accountId).execute();
      await db.deleteFrom("deployment_people").where("account_id", "=", accountId).execute();
      await db.deleteFrom("deployment_marks").where("account_id", "=", accountId).execute();
    },

    /** The newest projects that have an editor. */
    sharedProjects: async (accountId: string): Promise<SharedProject[]> => {
      const { rows } = await sql<SharedProject>`
        select projects.id, projects.name, editors.list as editors,
          (select count(*) from graphs where project_id = projects.id) as workflows,
          (select count(*) from models where project_id = projects.id and deleted_at is null) as models
        from projects
        cross join lateral (
          select jsonb_agg(to_jsonb(person)) as list from (
            select accounts.id, username, first_name, last_name
            from accounts
            where id <> projects.owner_id and id in (
              select account_id from project_people where project_id = projects.id and role = 'editor')
            order by lower(username) limit ${limits.editorsListed}
          ) as person
        ) as editors
        where owner_id = ${accountId} and editors.list is not null
        order by projects.id desc limit ${limits.transfersMax}`.execute(db);
      return rows;
    },

    /** Inside a transaction. Secrets of projects stay with their project. */
    removeOwnSecrets: async (accountId: string): Promise<void> => {
      await db.deleteFrom("secrets").where("account_id", "=", accountId).where("project_id", "is", null).execute();
    },

    /** Inside a transaction. What the account was told, at most a thousand rows. */
    removeNotifications: async (accountId: string): Promise<void> => {
      await db.deleteFrom("notifications").where("account_id", "=", accountId).execute();
    },

    listLeftovers: (): Promise<Leftover[]> =>
      db.selectFrom("deleting_accounts").select(["account_id", "username"]).orderBy("deleted_at").limit(100).execute(),

    /**
     * Removes a batch of what only the account used. Busy when another server does. Models that were trained since then
     * belong to whoever has the username now.
     */
    removeBatch: ({ account_id, username }: Leftover): Promise<"removed" | "nothing left" | "busy"> =>
      db.transaction().execute(async (trx) => {
        const leftover = await trx
          .selectFrom("deleting_accounts")
          .select("deleted_at")
          .where("account_id", "=", account_id)
          .forUpdate()
          .skipLocked()
          .executeTakeFirst();
        if (!leftover) return "busy";
        const templates = await sql`delete from templates where id = any(array(select id from templates
          where owner_id = ${account_id} and not public limit ${removal.templatesPerBatch}))`.execute(trx);
        const models = await sql`
          update models set authors = array_replace(authors, ${username}, ${deletedAuthor})
          where id = any(array(select id from models where authors @> array[${username}]::text[]
            and updated_at < ${leftover.deleted_at} limit ${removal.rowsPerBatch}))`.execute(trx);
        const runs = await sql`update runs set account_id = null
          where id = any(array(select id from runs where account_id = ${account_id} limit ${removal.rowsPerBatch}))`.execute(
          trx,
        );
        const tracked = await forgetAuthor(trx, account_id, username);
        const changed = [templates, models, runs, ...tracked].map(({ numAffectedRows = 0n }) => numAffectedRows);
        const removed = changed.reduce((sum, count) => sum + count, 0n);
        return removed > 0n ? "removed" : "nothing left";
      }),

    finish: async (accountId: string): Promise<void> => {
      await db.deleteFrom("deleting_accounts").where("account_id", "=", accountId).execute();
    },
  };
}
