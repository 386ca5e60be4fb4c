import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import { sql, type SqlBool } from "kysely";

import type { Caller } from "../../platform/caller.ts";
import type { Db } from "../../platform/database.ts";

const now = sql<Date>`now()`;

/** A node or edge as the database takes many of them at once; `ref` ties edges to nodes that have no number yet. */
export interface NodeInsert {
  ref: string;
  id: string;
  class: string;
  name: string;
  description: string;
  order: number;
  x: number;
  y: number;
  colour: string | null;
  api: unknown;
  field_values: unknown;
  body: unknown;
  source_code: string;
  tags: string[];
  locked: boolean;
  git: string | null;
  git_branch: string | null;
  update_policy: string | null;
}

export interface EdgeInsert {
  source: string;
  transmitter: string;
  target: string;
  receiver: string;
  segments: unknown;
  label: string;
}

/** Lists of NodeInsert and EdgeInsert as JSON texts, each small enough to be one statement. */
export interface GraphRows {
  nodes: Iterable<string>;
  edges: Iterable<string>;
}

export function createGraphQueries(db: Db) {
  return {
    find: (id: string) =>
      db
        .selectFrom("graphs")
        .innerJoin("projects", "projects.id", "graphs.project_id")
        .select([
          "graphs.id",
          "graphs.metadata_id",
          "graphs.name",
          "graphs.description",
          "graphs.project_id",
          "projects.name as project_name",
        ])
        .where("graphs.id", "=", id)
        .executeTakeFirst(),

    insert: (row: { id: string; project_id: string; name: string; description: string; created_by: string }) =>
      db.insertInto("graphs").values(row).execute(),

    update: (id: string, change: { name?: string; description?: string; project_id?: string }) =>
      db
        .updateTable("graphs")
        .set({ ...change, updated_at: now })
        .where("id", "=", id)
        .execute(),

    remove: (id: string) => db.deleteFrom("graphs").where("id", "=", id).execute(),

    countNodes: async (id: string) => {
      const row = await db
        .selectFrom("nodes")
        .select([sql<number>`count(*)`.as("nodes"), sql<number | null>`max(y)`.as("bottom")])
        .where("graph_id", "=", id)
        .executeTakeFirstOrThrow();
      return row;
    },

    browse: (
      caller: Caller,
      access: ReturnType<typeof sql<ProjectAccess | null>>,
      query: string,
      limit: number,
      offset: number,
    ) => {
      const list = db
        .selectFrom("graphs")
        .innerJoin("projects", "projects.id", "graphs.project_id")
        .select([
          "graphs.id",
          "graphs.metadata_id",
          "graphs.name",
          sql<string>`left(graphs.description, 1000)`.as("description"),
          "projects.id as project_id",
          "projects.name as project_name",
        ])
        .where(sql<SqlBool>`${access} is not null`)
        .orderBy(sql`projects.owner_id = ${caller.accountId}`, "desc")
        .orderBy("graphs.id", "desc")
        .limit(limit)
        .offset(offset);
      if (!query) return list.execute();
      const found = sql<SqlBool>`strpos(lower(graphs.name || ' ' || projects.name), lower(${query})) > 0`;
      return list.where(found).execute();
    },

    nodes: (graphId: string) =>
      db.selectFrom("nodes").selectAll().where("graph_id", "=", graphId).orderBy("metadata_id").execute(),

    edges: (graphId: string) =>
      db
        .selectFrom("edges")
        .select(["source_id", "transmitter", "target_id", "receiver", "segments", "label"])
        .where("graph_id", "=", graphId)
        .orderBy("created_at")
        .orderBy("source_id")
        .orderBy("target_id")
        .orderBy("transmitter")
        .orderBy("receiver")
        .execute(),

    /** All or nothing: a graph never holds half of a file or half of a copy. */
    addContent: (graphId: string, accountId: string, rows: GraphRows, before?: (trx: Db) => Promise<void>) =>
      db.transaction().execute(async (trx) => {
        await before?.(trx);
        const numbers = new Map<string, number>();
        for (const json of rows.nodes) {
          const inserted = await sql<{ ref: string; metadata_id: number }>`
            with given as (
              select nextval('metadata_ids') as metadata_id, row.* from jsonb_to_recordset(${json}::jsonb) as row(
                ref text, id uuid, class text, name text, description text, "order" integer, x float8, y float8,
                colour text, api jsonb, field_values jsonb, body jsonb, source_code text, tags jsonb, locked boolean,
                git text, git_branch text, update_policy text)
            ), done as (
              insert into nodes (metadata_id, id, graph_id, class, name, description, "order", x, y, colour, api,
                field_values, body, source_code, tags, locked, git, git_branch, update_policy, updated_by)
              select metadata_id, id, ${graphId}, class, name, description, "order", x, y, colour, api,
                field_values, body, source_code, array(select jsonb_array_elements_text(given.tags)), locked, git,
                git_branch, update_policy, ${accountId}
              from given
            )
            select ref, metadata_id from given`.execute(trx);
          for (const { ref, metadata_id } of inserted.rows) numbers.set(ref, metadata_id);
        }
        for (const json of rows.edges) {
          const edges = (JSON.parse(json) as EdgeInsert[]).map((edge) => ({
            ...edge,
            source_id: numbers.get(edge.source),
            target_id: numbers.get(edge.target),
          }));
          await sql`
            insert into edges (graph_id, source_id, transmitter, target_id, receiver, segments, label, created_by)
            select ${graphId}, source_id, transmitter, target_id, receiver, segments, label, ${accountId}
            from jsonb_to_recordset(${JSON.stringify(edges)}::jsonb)
              as row(source_id bigint, transmitter text, target_id bigint, receiver text, segments jsonb, label text)`.execute(
            trx,
          );
        }
        await trx.updateTable("graphs").set({ updated_at: now }).where("id", "=", graphId).execute();
      }),

    hasName: async (projectId: string, name: string) => {
      const row = await db
        .selectFrom("graphs")
        .select("id")
        .where("project_id", "=", projectId)
        .where("name", "=", name)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
