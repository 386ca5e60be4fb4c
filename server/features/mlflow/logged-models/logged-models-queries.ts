import { type RawBuilder, sql, type SqlBool } from "kysely";

import { isOthersCall } from "../../../model/others-calls-queries.ts";
import type { Db } from "../../../platform/database/database.ts";
import { comparison } from "../search/clause-queries.ts";
import type { Clause, SearchTerms } from "../search/parse-filter.ts";
import type { Order } from "../search/parse-order.ts";

export interface LoggedModelRow {
  id: string;
  experiment: number;
  run_id: string | null;
  name: string;
  type: string;
  status: string;
  tags: Record<string, string>;
  params: Record<string, string>;
  created_at: Date;
  updated_at: Date;
}

export interface LoggedMetricRow {
  model_id: string;
  run_id: string;
  name: string;
  dataset_name: string;
  dataset_digest: string;
  value: number;
  step: number;
  logged_at: Date;
}

/** Metrics of a dataset only. */
export interface DatasetFilter {
  dataset_name: string;
  dataset_digest?: string | undefined;
}

/** An order, and the dataset of its metric. */
export interface LoggedOrder extends Order {
  dataset?: DatasetFilter | undefined;
}

export const loggedTerms: SearchTerms = {
  types: ["attribute", "tag", "param", "metric"],
  attributes: {
    name: { key: "name", holds: "text" },
    model_id: { key: "model_id", holds: "text" },
    model_type: { key: "model_type", holds: "text" },
    status: { key: "status", holds: "text" },
    source_run_id: { key: "source_run_id", holds: "text" },
    creation_timestamp: { key: "creation_timestamp", holds: "number" },
    creation_time: { key: "creation_timestamp", holds: "number" },
    last_updated_timestamp: { key: "last_updated_timestamp", holds: "number" },
    last_updated_time: { key: "last_updated_timestamp", holds: "number" },
  },
};

const columns: Readonly<Record<string, RawBuilder<unknown>>> = {
  name: sql`logged.name`,
  model_id: sql`logged.id`,
  model_type: sql`logged.type`,
  // Clients write READY, and LOGGED_MODEL_READY.
  status: sql`replace(logged.status, 'LOGGED_MODEL_', '')`,
  source_run_id: sql`coalesce(replace(logged.run_id::text, '-', ''), '')`,
  creation_timestamp: sql`(extract(epoch from logged.created_at) * 1000)`,
  last_updated_timestamp: sql`(extract(epoch from logged.updated_at) * 1000)`,
};

const shown = [
  ...(["id", "experiment", "run_id", "name", "type", "status"] as const),
  ...(["tags", "params", "created_at", "updated_at"] as const),
];
const metricsMax = 100_000;

export function createLoggedModelQueries(db: Db) {
  return {
    find: (projectId: string, id: string): Promise<LoggedModelRow | undefined> =>
      db
        .selectFrom("logged_models")
        .select(shown)
        .where("id", "=", id)
        .where("project_id", "=", projectId)
        .where("deleted_at", "is", null)
        .executeTakeFirst(),

    /** Counted no further than this. */
    count: async (projectId: string, most: number): Promise<number> => {
      const { rows } = await sql<{ count: number }>`
        select count(*) from (select from logged_models where project_id = ${projectId} limit ${most}) as found`.execute(
        db,
      );
      return rows[0]?.count ?? 0;
    },

    isRun: async (projectId: string, id: string): Promise<boolean> =>
      (await db
        .selectFrom("tracked_runs")
        .select("id")
        .where("id", "=", id)
        .where("project_id", "=", projectId)
        .executeTakeFirst()) !== undefined,

    insert: (
      projectId: string,
      { tags, params, ...row }: Omit<LoggedModelRow, "created_at" | "updated_at" | "status">,
    ): Promise<LoggedModelRow> =>
      db
        .insertInto("logged_models")
        .values({ ...row, project_id: projectId, tags: JSON.stringify(tags), params: JSON.stringify(params) })
        .returning(shown)
        .executeTakeFirstOrThrow(),

    setStatus: async (id: string, status: string): Promise<void> => {
      await db
        .updateTable("logged_models")
        .set({ status, updated_at: sql<Date>`now()` })
        .where("id", "=", id)
        .execute();
    },

    remove: async (id: string): Promise<void> => {
      await db
        .updateTable("logged_models")
        .set({ deleted_at: sql<Date>`now()`, updated_at: sql<Date>`now()` })
        .where("id", "=", id)
        .execute();
    },

    /** Adds to the tags or the parameters. False when they would have more than `most` characters. */
    add: async (
      id: string,
      column: "tags" | "params",
      values: Record<string, string>,
      most: number,
    ): Promise<boolean> => {
      const added = JSON.stringify(values);
      const { rows } = await sql`
        update logged_models set ${sql.ref(column)} = ${sql.ref(column)} || ${added}::jsonb
        where id = ${id} and length(${sql.ref(column)}::text) + ${added.length}::integer <= ${most}
        returning id`.execute(db);
      return rows.length > 0;
    },

    /** False when there is no such tag. */
    removeTag: async (id: string, key: string): Promise<boolean> => {
      const { rows } = await sql`update logged_models set tags = tags - ${key}::text
        where id = ${id} and tags ? ${key}::text returning id`.execute(db);
      return rows.length > 0;
    },

    metrics: (ids: readonly string[]): Promise<LoggedMetricRow[]> =>
      db
        .selectFrom("logged_model_metrics")
        .selectAll()
        .where("model_id", "=", sql<string>`any(${ids}::text[])`)
        .orderBy("model_id")
        .orderBy("name")
        .orderBy("dataset_name")
        .limit(metricsMax)
        .execute(),

    search: async (
      projectId: string,
      experiments: readonly number[],
      wanted: {
        clauses: readonly Clause[];
        datasets: readonly DatasetFilter[];
        orders: readonly LoggedOrder[];
        reader: string | undefined;
      },
      { offset, limit }: { offset: number; limit: number },
    ): Promise<LoggedModelRow[]> => {
      const { rows } = await sql<LoggedModelRow>`
        select ${sql.join(shown.map((name) => sql.ref(`logged.${name}`)))} from logged_models as logged
        where logged.project_id = ${projectId} and logged.experiment = any(${experiments}::integer[])
          and logged.deleted_at is null ${conditions(wanted.clauses, wanted.datasets)} ${notOthers(wanted.reader)}
        order by ${ordering(wanted.orders)} logged.created_at desc, logged.id
        limit ${limit} offset ${offset}`.execute(db);
      return rows;
    },
  };
}

/** What the calls of others logged is not for people who only read the project. */
function notOthers(reader: string | undefined): RawBuilder<unknown> {
  if (reader === undefined) return sql``;
  const run = sql`(select run_id from tracked_runs where tracked_runs.id = logged.run_id)`;
  return sql`and not ${isOthersCall(run, reader)}`;
}

function ofDataset({ dataset_name, dataset_digest }: DatasetFilter): RawBuilder<SqlBool> {
  const digest = dataset_digest ? sql`and m.dataset_digest = ${dataset_digest}` : sql``;
  return sql`(m.dataset_name = ${dataset_name} ${digest})`;
}

function conditions(clauses: readonly Clause[], datasets: readonly DatasetFilter[]): RawBuilder<unknown> {
  const onDatasets = datasets.length === 0 ? sql`` : sql`and (${sql.join(datasets.map(ofDataset), sql` or `)})`;
  const each = clauses.map((clause) => {
    if (clause.type === "metric")
      return sql`and exists (select from logged_model_metrics as m where m.model_id = logged.id
        and m.name = ${clause.key} and ${comparison(sql`m.value`, clause)} ${onDatasets})`;
    if (clause.type === "tag" || clause.type === "param")
      return sql`and ${comparison(sql`(${sql.ref(`logged.${clause.type}s`)} ->> ${clause.key})`, clause)}`;
    return sql`and ${comparison(columns[clause.key] ?? sql`null`, withoutPrefix(clause))}`;
  });
  return each.length === 0 ? sql`` : sql.join(each, sql` `);
}

function withoutPrefix(clause: Clause): Clause {
  return clause.key === "status" && "value" in clause && typeof clause.value === "string"
    ? ({ ...clause, value: clause.value.replace(/^LOGGED_MODEL_/, "") } as Clause)
    : clause;
}

function ordering(orders: readonly LoggedOrder[]): RawBuilder<unknown> {
  const each = orders.map(({ type, key, holds, direction, dataset }) => {
    const sign = sql.raw(`${direction} nulls last, `);
    if (type === "metric")
      return sql`(select max(m.value) from logged_model_metrics as m where m.model_id = logged.id and m.name = ${key}
        ${dataset ? sql`and ${ofDataset(dataset)}` : sql``}) ${sign}`;
    if (type === "tag" || type === "param") return sql`(${sql.ref(`logged.${type}s`)} ->> ${key}) collate "C" ${sign}`;
    const column = columns[key] ?? sql`null`;
    return sql`${holds === "text" ? sql`${column} collate "C"` : column} ${sign}`;
  });
  return each.length === 0 ? sql`` : sql.join(each, sql``);
}
