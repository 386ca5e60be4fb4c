import { type Selectable, sql, type SqlBool } from "kysely";

import type { ExperimentsTable } from "../../../tables/tracking-tables.ts";
import type { Db } from "../../../platform/database/database.ts";
import { comparison } from "../search/clause-queries.ts";
import type { Clause } from "../search/parse-filter.ts";
import type { Order } from "../search/parse-order.ts";

export type ExperimentRow = Selectable<ExperimentsTable>;
export type ViewType = "ACTIVE_ONLY" | "DELETED_ONLY" | "ALL";

interface Page {
  clauses: readonly Clause[];
  orders: readonly Order[];
  view: ViewType;
  offset: number;
  limit: number;
}

const milliseconds = (column: string) => sql`floor(extract(epoch from ${sql.ref(column)}) * 1000)::float8`;

const attributes: Readonly<Record<string, ReturnType<typeof milliseconds>>> = {
  name: sql`experiments.name`,
  experiment_id: sql`number`,
  creation_time: milliseconds("created_at"),
  last_update_time: milliseconds("updated_at"),
};

const columnOf = ({ type, key }: { type: string; key: string }) =>
  (type === "tag" ? undefined : attributes[key]) ?? sql`tags ->> ${key}`;

export const lifecycle = {
  ACTIVE_ONLY: sql<SqlBool>`deleted_at is null`,
  DELETED_ONLY: sql<SqlBool>`deleted_at is not null`,
  ALL: sql<SqlBool>`true`,
} as const;

export function createExperimentQueries(db: Db) {
  const ofProject = (projectId: string) => db.selectFrom("experiments").selectAll().where("project_id", "=", projectId);

  return {
    find: (projectId: string, number: number): Promise<ExperimentRow | undefined> =>
      ofProject(projectId).where("number", "=", number).executeTakeFirst(),

    findByName: (projectId: string, name: string): Promise<ExperimentRow | undefined> =>
      ofProject(projectId).where("name", "=", name).executeTakeFirst(),

    findGraph: (id: string, name: string) =>
      db
        .selectFrom("graphs")
        .select(["id", "project_id", "name"])
        .where("id", "=", id)
        .where("name", "=", name)
        .executeTakeFirst(),

    count: async (projectId: string): Promise<number> => {
      const { count } = await db
        .selectFrom("experiments")
        .select(sql<number>`count(*)`.as("count"))
        .where("project_id", "=", projectId)
        .executeTakeFirstOrThrow();
      return count;
    },

    insert: async (projectId: string, number: number, name: string, tags: string): Promise<void> => {
      await db.insertInto("experiments").values({ project_id: projectId, number, name, tags }).execute();
    },

    rename: async (projectId: string, number: number, name: string): Promise<void> => {
      await sql`update experiments set name = ${name}, updated_at = now()
        where project_id = ${projectId} and number = ${number}`.execute(db);
    },

    /** Inside a transaction. Its runs go with it, and come back with it. */
    remove: async (projectId: string, number: number): Promise<void> => {
      for (const table of ["experiments", "tracked_runs"] as const)
        await sql`update ${sql.table(table)} set deleted_at = now() where project_id = ${projectId}
          and ${sql.ref(table === "experiments" ? "number" : "experiment")} = ${number} and deleted_at is null`.execute(
          db,
        );
    },

    restore: async (projectId: string, number: number, deletedAt: Date): Promise<void> => {
      await sql`update tracked_runs set deleted_at = null where project_id = ${projectId} and experiment = ${number}
        and date_trunc('milliseconds', deleted_at) = date_trunc('milliseconds', ${deletedAt}::timestamptz)`.execute(db);
      await sql`update experiments set deleted_at = null, updated_at = now()
        where project_id = ${projectId} and number = ${number}`.execute(db);
    },

    /** False when it has too many tags already. */
    setTag: async (projectId: string, number: number, { key, value }: { key: string; value: string }, most: number) => {
      const { numAffectedRows } = await sql`
        update experiments set tags = tags || jsonb_build_object(${key}::text, ${value}::text), updated_at = now()
        where project_id = ${projectId} and number = ${number}
          and (tags ? ${key} or (select count(*) from jsonb_object_keys(tags)) < ${most})`.execute(db);
      return numAffectedRows === 1n;
    },

    deleteTag: async (projectId: string, number: number, key: string): Promise<boolean> => {
      const { numAffectedRows } = await sql`update experiments set tags = tags - ${key}::text, updated_at = now()
        where project_id = ${projectId} and number = ${number} and tags ? ${key}`.execute(db);
      return numAffectedRows === 1n;
    },

    search: (projectId: string, { clauses, orders, view, offset, limit }: Page): Promise<ExperimentRow[]> => {
      let found = ofProject(projectId).where(lifecycle[view]);
      for (const clause of clauses) found = found.where(comparison(columnOf(clause), clause));
      for (const order of orders)
        found = found.orderBy(
          sql`${columnOf(order)} ${order.direction === "asc" ? sql`asc nulls last` : sql`desc nulls last`}`,
        );
      if (orders.length === 0) found = found.orderBy("created_at", "desc");
      return found.orderBy("number", "desc").offset(offset).limit(limit).execute();
    },
  };
}
