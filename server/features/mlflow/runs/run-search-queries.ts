import { type RawBuilder, sql, type SqlBool } from "kysely";

import { isOthersCall } from "../../../model/others-calls-queries.ts";
import type { Db } from "../../../platform/database/database.ts";
import { lifecycle, type ViewType } from "../experiments/experiments-queries.ts";
import { comparison } from "../search/clause-queries.ts";
import type { Clause } from "../search/parse-filter.ts";
import type { Order } from "../search/parse-order.ts";
import { milliseconds } from "./read-runs-queries.ts";
import { findRunId } from "./run-ids.ts";

interface RunPage {
  experiments: readonly number[];
  view: ViewType;
  clauses: readonly Clause[];
  orders: readonly Order[];
  offset: number;
  limit: number;
  /** The account of a person who only reads the project: they do not see what the calls of others logged. */
  reader: string | undefined;
}

const hex = sql`replace(tracked_runs.id::text, '-', '')`;

const attributes: Readonly<Record<string, RawBuilder<unknown>>> = {
  run_id: hex,
  run_name: sql`tracked_runs.name`,
  user_id: sql`tracked_runs.user_name`,
  status: sql`tracked_runs.status`,
  artifact_uri: sql`'mlflow-artifacts:/' || tracked_runs.experiment || '/' || ${hex} || '/artifacts'`,
  experiment_id: sql`tracked_runs.experiment::text`,
  start_time: milliseconds("tracked_runs.began_at"),
  end_time: milliseconds("tracked_runs.ended_at"),
};

const datasetColumns: Readonly<Record<string, RawBuilder<unknown>>> = {
  name: sql`own.name`,
  digest: sql`own.digest`,
  context: sql`own.tags ->> 'mlflow.data.context'`,
};

/** The ids of runs, in their order. */
export async function findRuns(db: Db, projectId: string, page: RunPage): Promise<string[]> {
  const conditions = [
    sql<SqlBool>`tracked_runs.project_id = ${projectId}`,
    sql<SqlBool>`tracked_runs.experiment = any(${page.experiments}::integer[])`,
    lifecycle[page.view],
    ...page.clauses.map(conditionOf),
    ...(page.reader === undefined
      ? []
      : [sql<SqlBool>`not ${isOthersCall(sql.ref("tracked_runs.run_id"), page.reader)}`]),
  ];
  const orders = page.orders.map(orderOf);
  const isByStart = page.orders.some(({ type, key }) => type === "attribute" && key === "start_time");
  if (!isByStart) orders.push(sql`tracked_runs.began_at desc`);
  const { rows } = await sql<{ id: string }>`select tracked_runs.id from tracked_runs
    where ${sql.join(conditions, sql` and `)}
    order by ${sql.join([...orders, sql`tracked_runs.id`])}
    offset ${page.offset} limit ${page.limit}`.execute(db);
  return rows.map(({ id }) => id);
}

function conditionOf(clause: Clause): RawBuilder<SqlBool> {
  const { type, key, comparator } = clause;
  switch (type) {
    case "metric":
      // A comparison with what is no number never holds.
      return sql<SqlBool>`exists (select from metric_summaries as own where own.run_id = tracked_runs.id
        and own.name = ${key} and own.last_value <> 'NaN' and ${comparison(sql`own.last_value`, clause)})`;
    case "param":
    case "tag": {
      const table = sql.table(type === "param" ? "tracked_params" : "tracked_tags");
      const own = sql`select from ${table} as own where own.run_id = tracked_runs.id and own.key = ${key}`;
      if (comparator === "IS NULL") return sql<SqlBool>`not exists (${own})`;
      return sql<SqlBool>`exists (${own} and ${comparison(sql`own.value`, clause)})`;
    }
    case "dataset":
      return sql<SqlBool>`exists (select from tracked_inputs as own where own.run_id = tracked_runs.id
        and ${comparison(datasetColumns[key] ?? sql`own.name`, clause)})`;
    case "attribute":
      return byId(clause) ?? comparison(attributes[key] ?? hex, clause);
  }
}

/** Runs by their ids: the index finds them. */
function byId(clause: Clause): RawBuilder<SqlBool> | undefined {
  if (clause.key !== "run_id" || (clause.comparator !== "=" && clause.comparator !== "IN")) return undefined;
  const given = Array.isArray(clause.value) ? clause.value : [String(clause.value)];
  const ids = given.flatMap((id) => findRunId(id) ?? []);
  return sql<SqlBool>`tracked_runs.id = any(${ids}::uuid[])`;
}

/** Values that are no number come after the others, and runs without a value last, in both directions. */
function orderOf({ type, key, direction }: Order): RawBuilder<unknown> {
  const sign = direction === "asc" ? sql`asc` : sql`desc`;
  if (type === "metric") {
    const value = sql`(select last_value from metric_summaries where run_id = tracked_runs.id and name = ${key})`;
    return sql`case when ${value} is null then 2 when ${value} = 'NaN' then 1 else 0 end, ${value} ${sign}`;
  }
  const value =
    type === "attribute"
      ? (attributes[key] ?? hex)
      : sql`(select value from ${sql.table(type === "param" ? "tracked_params" : "tracked_tags")}
          where run_id = tracked_runs.id and key = ${key})`;
  return sql`${value} ${sign} nulls last`;
}
