import type { ModelMetric, SortDirection } from "@miranda/contract/schemas/models/models.ts";
import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import { type Expression, sql, type SqlBool } from "kysely";

import type { Db } from "../../platform/database/database.ts";

/** Which models: readable ones, with these texts in their name and in their workflow's name. */
export interface ModelFilter {
  access: Expression<ProjectAccess | null>;
  id: string;
  graph: string;
}

interface ModelPage<From> extends ModelFilter {
  direction: SortDirection;
  /** The last model of the page before. Only its values are compared, so it may have been deleted. */
  from: From | undefined;
  limit: number;
}

const comparisons = { asc: sql`>`, desc: sql`<` } as const;
// As in the index. Without a fixed collation the order would depend on the database's.
const graphKey = sql<string | null>`lower(graphs.name) collate "C"`;

/** Has the text anywhere, in any case. A percent sign or an underscore stands for itself. */
function contains(column: "models.name" | "graphs.name", text: string) {
  const escaped = text.replace(/[\\%_]/g, String.raw`\$&`);
  return sql<SqlBool>`lower(${sql.ref(column)}) like lower(${`%${escaped}%`})`;
}

const microseconds = (column: "models.created_at" | "models.updated_at") =>
  // A date of JavaScript has milliseconds only: models of the same millisecond would be skipped or repeated.
  sql<number>`(extract(epoch from ${sql.ref(column)}) * 1000000)::bigint`;

export function createModelQueries(db: Db) {
  const matching = ({ access, id, graph }: ModelFilter) => {
    let found = db
      .selectFrom("models")
      .leftJoin("graphs", "graphs.id", "models.graph_id")
      .innerJoin("projects", "projects.id", "models.project_id")
      .where("models.deleted_at", "is", null)
      // Everybody may read what is public. Looking for memberships there would take most of the time.
      .where(sql<SqlBool>`(projects.visibility = 'public' or ${access} is not null)`);
    if (id) found = found.where(contains("models.name", id));
    if (graph) found = found.where(contains("graphs.name", graph));
    return found;
  };

  const listed = (filter: ModelFilter, limit: number) =>
    matching(filter)
      .select([
        "models.id",
        "models.name",
        "models.authors",
        "models.miranda_version",
        "models.hardware",
        "models.loss",
        "models.accuracy",
        "models.precision",
        "models.recall",
        "models.created_at",
        "models.updated_at",
        "models.run_id",
        microseconds("models.created_at").as("created_key"),
        microseconds("models.updated_at").as("updated_key"),
        "graphs.name as graph_name",
        graphKey.as("graph_key"),
        "graphs.id as graph_id",
        "models.project_id",
        "projects.name as project_name",
        "models.tags",
        "models.metrics",
      ])
      .limit(limit);

  return {
    /** The number of matching models, counted no further than this. */
    countUpTo: async (filter: ModelFilter, most: number): Promise<number> => {
      const { count } = await db
        .selectFrom(matching(filter).select("models.id").limit(most).as("found"))
        .select(sql<number>`count(*)`.as("count"))
        .executeTakeFirstOrThrow();
      return count;
    },

    byTime: (
      column: "models.created_at" | "models.updated_at",
      { direction, from, limit, ...filter }: ModelPage<{ microseconds: number; id: string }>,
    ) => {
      const page = listed(filter, limit).orderBy(column, direction).orderBy("models.id", direction);
      if (!from) return page.execute();
      return page
        .where(
          sql<SqlBool>`(${sql.ref(column)}, models.id) ${comparisons[direction]}
            (timestamptz 'epoch' + ${from.microseconds}::float8 * interval '1 microsecond', ${from.id}::uuid)`,
        )
        .execute();
    },

    /** Models with a value of this metric. */
    byMetric: (
      metric: ModelMetric,
      { direction, from, limit, ...filter }: ModelPage<{ value: number; id: string }>,
    ) => {
      const column = sql.ref(`models.${metric}`);
      const page = listed(filter, limit)
        .where(sql<SqlBool>`${column} is not null`)
        .orderBy(column, direction)
        .orderBy("models.id", direction);
      if (!from) return page.execute();
      return page
        .where(sql<SqlBool>`(${column}, models.id) ${comparisons[direction]} (${from.value}::float8, ${from.id}::uuid)`)
        .execute();
    },

    /** Models without a value of this metric. */
    withoutMetric: (metric: ModelMetric, { direction, from, limit, ...filter }: ModelPage<{ id: string }>) => {
      const column = sql.ref(`models.${metric}`);
      const page = listed(filter, limit)
        .where(sql<SqlBool>`${column} is null`)
        // All are null. The metric is named because only then the index gives the order.
        .orderBy(column, direction)
        .orderBy("models.id", direction);
      if (!from) return page.execute();
      return page.where(sql<SqlBool>`models.id ${comparisons[direction]} ${from.id}::uuid`).execute();
    },

    byGraph: ({ direction, from, limit, ...filter }: ModelPage<{ graphKey: string; graphId: string; id: string }>) => {
      const page = listed(filter, limit)
        // An inner join again: the index of names gives the order.
        .where("graphs.id", "is not", null)
        .orderBy(graphKey, direction)
        .orderBy("graphs.id", direction)
        .orderBy("models.id", direction);
      if (!from) return page.execute();
      const sign = comparisons[direction];
      return (
        page
          // The first condition says the same about graphs alone: it tells the index where to start.
          .where(sql<SqlBool>`(${graphKey}, graphs.id) ${sign}= (${from.graphKey}, ${from.graphId}::uuid)`)
          .where(
            sql<SqlBool>`(${graphKey}, graphs.id, models.id) ${sign}
              (${from.graphKey}, ${from.graphId}::uuid, ${from.id}::uuid)`,
          )
          .execute()
      );
    },

    /** Models that no workflow made. */
    withoutGraph: ({ direction, from, limit, ...filter }: ModelPage<{ id: string }>) => {
      const page = listed(filter, limit).where("models.graph_id", "is", null).orderBy("models.id", direction);
      if (!from) return page.execute();
      return page.where(sql<SqlBool>`models.id ${comparisons[direction]} ${from.id}::uuid`).execute();
    },
  };
}

export type ModelRow = Awaited<ReturnType<ReturnType<typeof createModelQueries>["byTime"]>>[number];
