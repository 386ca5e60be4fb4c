import type { ReleaseForm } from "@miranda/contract/schemas/deployments/release-forms.ts";
import type { Channel } from "@miranda/contract/schemas/deployments/deployments.ts";
import type { PageKeyQuery } from "@miranda/contract/schemas/pages.ts";
import { type Insertable, type SelectQueryBuilder, sql, type Updateable } from "kysely";

import type { Db } from "../../platform/database/database.ts";
import type { DeploymentsTable } from "../../tables/deployment-tables.ts";
import type { Tables } from "../../tables/tables.ts";
import { spentToday } from "../calls/calls-queries.ts";
import { isOwned, mayUse, projectAccess, type Who } from "./deployment-access-queries.ts";

type Joined = SelectQueryBuilder<Tables, "deployments" | "graphs" | "projects", object>;

/** Everything but the picture, which only its own address sends. */
const columns = [
  "deployments.id",
  "deployments.graph_id",
  "deployments.owner_id",
  "deployments.name",
  "deployments.title",
  "deployments.description",
  "deployments.tags",
  "deployments.access",
  "deployments.link",
  "deployments.embed_origins",
  "deployments.hook_hint",
  "deployments.hook_field",
  "deployments.hook_at",
  "deployments.paused",
  "deployments.at_once",
  "deployments.warm",
  "deployments.idle_minutes",
  "deployments.queue_max",
  "deployments.call_budget",
  "deployments.day_budget",
  "deployments.call_seconds",
  "deployments.payer",
  "deployments.compute",
  "deployments.picture_version",
  "deployments.production_id",
  "deployments.staging_id",
  "deployments.created_at",
  "deployments.changed_at",
] as const;

export type DeploymentChange = Updateable<DeploymentsTable>;
export type DeploymentQueries = ReturnType<typeof deploymentQueries>;
export type DeploymentRow = NonNullable<Awaited<ReturnType<DeploymentQueries["findOfGraph"]>>>;
export type UsedRow = NonNullable<Awaited<ReturnType<DeploymentQueries["findUsed"]>>>;

/** What the deployment did today. */
export interface DeploymentCounts {
  id: string;
  queued: number;
  running: number;
  today: number;
  failed_today: number;
  cost_today: number;
}

/** A release as calls need it. */
export interface ReleaseRow {
  id: string;
  number: number;
  version_id: string;
  form: ReleaseForm;
}

/** The database or a transaction. */
export function deploymentQueries(db: Db) {
  const joined: Joined = db
    .selectFrom("deployments")
    .innerJoin("graphs", "graphs.id", "deployments.graph_id")
    .innerJoin("projects", "projects.id", "graphs.project_id");
  const described = joined
    .select(columns)
    .select(["graphs.name as graph_name", "graphs.project_id", "projects.name as project_name"])
    .leftJoin("accounts as person", (join) =>
      join.onRef("person.id", "=", "deployments.owner_id").on("person.deleted_at", "is", null),
    )
    .select(["person.id as author_id", "person.username", "person.first_name", "person.last_name"])
    .select(["person.avatar_version", sql<boolean>`hook_hash is not null`.as("has_hook")])
    .select([isOwned.as("is_owned"), sql<boolean>`hook_secret is not null`.as("hook_signed")]);

  return {
    findOfGraph: (graphId: string) => described.where("deployments.graph_id", "=", graphId).executeTakeFirst(),

    /** Newest first, and one more than the page has when there are more. */
    listOfProject: (projectId: string, { after, limit }: PageKeyQuery) => {
      const all = described.where("graphs.project_id", "=", projectId);
      return (after === undefined ? all : all.where("deployments.id", "<", after))
        .orderBy("deployments.id", "desc")
        .limit(limit + 1)
        .execute();
    },

    insert: async (row: Insertable<DeploymentsTable>): Promise<void> => {
      await db.insertInto("deployments").values(row).execute();
    },

    update: async (id: string, change: DeploymentChange): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable("deployments")
        .set({ ...change, changed_at: sql<Date>`now()` })
        .where("id", "=", id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** With everything that belongs to it. */
    remove: async (id: string): Promise<void> => {
      await db.deleteFrom("deployments").where("id", "=", id).execute();
    },

    replacePeople: async (id: string, accountIds: readonly string[]): Promise<void> => {
      await db.deleteFrom("deployment_people").where("deployment_id", "=", id).execute();
      await sql`insert into deployment_people (deployment_id, account_id)
        select ${id}::uuid, account_id from unnest(${accountIds}::uuid[]) as account_id
        on conflict do nothing`.execute(db);
    },

    people: async (id: string) =>
      db
        .selectFrom("deployment_people")
        .innerJoin("accounts", "accounts.id", "deployment_people.account_id")
        .select(["accounts.id as author_id", "username", "first_name", "last_name", "avatar_version"])
        .where("deployment_id", "=", id)
        .where("accounts.deleted_at", "is", null)
        .orderBy(sql`lower(username)`)
        .execute(),

    counts: async (ids: readonly string[]): Promise<Map<string, DeploymentCounts>> => {
      const { rows } = await sql<DeploymentCounts>`
        select deployments.id, alive.queued, alive.running, today.made as today, today.failed as failed_today,
          ${spentToday(sql.ref("deployments.id"))} as cost_today
        from deployments
        cross join lateral (
          select count(*) filter (where state = 'queued')::integer as queued,
            count(*) filter (where state <> 'queued')::integer as running
          from calls where deployment_id = deployments.id and state in ('queued', 'running', 'paused')
        ) as alive
        cross join lateral (
          select count(*)::integer as made,
            count(*) filter (where state in ('failed', 'crashed', 'lost'))::integer as failed
          from calls where deployment_id = deployments.id and created_at >= current_date
        ) as today
        where deployments.id = any(${ids}::uuid[])`.execute(db);
      return new Map(rows.map((row) => [row.id, row]));
    },

    /** A deployment that somebody may use, with the release of a channel. */
    findUsed: (who: Who, key: { name: string } | { id: string } | { link: string }, channel: Channel) => {
      const [column, value] =
        "id" in key
          ? (["deployments.id", key.id] as const)
          : "name" in key
            ? (["deployments.name", key.name] as const)
            : (["deployments.link", key.link] as const);
      return described
        .leftJoin("releases", (join) =>
          join.onRef(
            "releases.id",
            "=",
            channel === "production" ? "deployments.production_id" : "deployments.staging_id",
          ),
        )
        .select([
          "releases.id as release_id",
          "releases.number as release_number",
          "releases.version_id",
          "releases.form",
          projectAccess(who).as("project_access"),
        ])
        .where(column, "=", value)
        .where(mayUse(who))
        .executeTakeFirst();
    },
  };
}
