import { type RawBuilder, sql, type SqlBool } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { comparison } from "../search/clause-queries.ts";
import type { Clause, SearchTerms } from "../search/parse-filter.ts";
import type { Order } from "../search/parse-order.ts";
import type { ModelRow, VersionRow } from "./registry-views.ts";

export const modelTerms: SearchTerms = {
  types: ["attribute", "tag"],
  attributes: {
    name: { key: "name", holds: "text" },
    creation_timestamp: { key: "creation_timestamp", holds: "number" },
    last_updated_timestamp: { key: "last_updated_timestamp", holds: "number" },
    timestamp: { key: "last_updated_timestamp", holds: "number" },
  },
};
export const versionTerms: SearchTerms = {
  types: ["attribute", "tag"],
  attributes: {
    ...modelTerms.attributes,
    version_number: { key: "version_number", holds: "number" },
    run_id: { key: "run_id", holds: "text" },
    source_path: { key: "source_path", holds: "text" },
  },
};

const milliseconds = (column: RawBuilder<unknown>) => sql`(extract(epoch from ${column}) * 1000)`;
const modelColumns: Readonly<Record<string, RawBuilder<unknown>>> = {
  name: sql`models.name`,
  creation_timestamp: milliseconds(sql`models.created_at`),
  last_updated_timestamp: milliseconds(sql`models.updated_at`),
};
const versionColumns: Readonly<Record<string, RawBuilder<unknown>>> = {
  name: sql`models.name`,
  creation_timestamp: milliseconds(sql`v.created_at`),
  last_updated_timestamp: milliseconds(sql`v.updated_at`),
  version_number: sql`v.number`,
  run_id: sql`coalesce(replace(v.tracked_run_id::text, '-', ''), '')`,
  source_path: sql`v.source`,
};

interface Page {
  clauses: readonly Clause[];
  orders: readonly Order[];
  offset: number;
  limit: number;
}

const versionSelect = sql`
  select v.model_id, models.name as model_name, v.number, v.created_at, v.updated_at, v.author, v.stage, v.description,
    v.source, v.status, v.run_link, v.tags, v.tracked_run_id, tracked.experiment, logged.id as logged_model_id,
    logged.experiment as logged_experiment,
    array(select alias from model_aliases where model_id = v.model_id and number = v.number order by alias) as aliases
  from model_versions as v join models on models.id = v.model_id
    left join tracked_runs as tracked on tracked.id = v.tracked_run_id
    left join logged_models as logged on logged.id = v.logged_model_id`;
const living = sql`v.deleted_at is null and models.deleted_at is null`;

export function createRegistryQueries(db: Db) {
  return {
    findModel: (projectId: string, name: string): Promise<ModelRow | undefined> =>
      db
        .selectFrom("models")
        .select(["id", "name", "description", "tags", "created_at", "updated_at"])
        .where("project_id", "=", projectId)
        .where("name", "=", name)
        .where("deleted_at", "is", null)
        .executeTakeFirst(),

    /** Counted no further than this. */
    countModels: async (projectId: string, most: number): Promise<number> => {
      const { rows } = await sql<{ count: number }>`
        select count(*) from (select from models where project_id = ${projectId} limit ${most}) as found`.execute(db);
      return rows[0]?.count ?? 0;
    },

    searchModels: async (projectId: string, { clauses, orders, offset, limit }: Page): Promise<ModelRow[]> => {
      const { rows } = await sql<ModelRow>`
        select id, name, description, tags, created_at, updated_at from models
        where project_id = ${projectId} and deleted_at is null ${conditions(clauses, modelColumns, sql`models.tags`)}
        order by ${ordering(orders, modelColumns)} models.name collate "C"
        limit ${limit} offset ${offset}`.execute(db);
      return rows;
    },

    /** The newest version of each stage. */
    latestVersions: async (modelIds: readonly string[]): Promise<VersionRow[]> => {
      const { rows } = await sql<VersionRow>`
        ${versionSelect} join (
          select distinct on (model_id, stage) model_id, number from model_versions
          where model_id = any(${modelIds}::uuid[]) and deleted_at is null order by model_id, stage, number desc
        ) as newest on newest.model_id = v.model_id and newest.number = v.number
        order by v.model_id, v.number`.execute(db);
      return rows;
    },

    aliases: (modelIds: readonly string[]) =>
      db
        .selectFrom("model_aliases")
        .select(["model_id", "alias", "number"])
        .where("model_id", "=", sql<string>`any(${modelIds}::uuid[])`)
        .orderBy("alias")
        .execute(),

    findVersion: async (projectId: string, name: string, number: number): Promise<VersionRow | undefined> => {
      const { rows } = await sql<VersionRow>`${versionSelect}
        where models.project_id = ${projectId} and models.name = ${name} and v.number = ${number} and ${living}`.execute(
        db,
      );
      return rows[0];
    },

    findByAlias: async (projectId: string, name: string, alias: string): Promise<VersionRow | undefined> => {
      const { rows } = await sql<VersionRow>`${versionSelect}
        join model_aliases on model_aliases.model_id = v.model_id and model_aliases.number = v.number
        where models.project_id = ${projectId} and models.name = ${name} and model_aliases.alias = ${alias}
          and ${living}`.execute(db);
      return rows[0];
    },

    searchVersions: async (projectId: string, { clauses, orders, offset, limit }: Page): Promise<VersionRow[]> => {
      const { rows } = await sql<VersionRow>`${versionSelect}
        where models.project_id = ${projectId} and ${living} ${conditions(clauses, versionColumns, sql`v.tags`)}
        order by ${ordering(orders, versionColumns)} v.updated_at desc, models.name collate "C", v.number desc
        limit ${limit} offset ${offset}`.execute(db);
      return rows;
    },
  };
}

function conditions(
  clauses: readonly Clause[],
  columns: Readonly<Record<string, RawBuilder<unknown>>>,
  tags: RawBuilder<unknown>,
): RawBuilder<SqlBool> {
  const each = clauses.map((clause) => {
    // Clients ask for models that are no prompts. A model without this tag is none.
    const tag = sql`${tags} ->> ${clause.key}`;
    const isPrompt = clause.key === "mlflow.prompt.is_prompt";
    const column =
      clause.type === "tag" ? (isPrompt ? sql`coalesce(${tag}, 'false')` : sql`(${tag})`) : columns[clause.key];
    return sql`and ${comparison(column ?? sql`null`, clause)}`;
  });
  return sql`${sql.join(each, sql` `)}`;
}

function ordering(
  orders: readonly Order[],
  columns: Readonly<Record<string, RawBuilder<unknown>>>,
): RawBuilder<unknown> {
  const each = orders.map(({ key, holds, direction }) => {
    const column = columns[key] ?? sql`null`;
    return sql`${holds === "text" ? sql`${column} collate "C"` : column} ${sql.raw(direction)}, `;
  });
  return each.length === 0 ? sql`` : sql.join(each, sql``);
}
