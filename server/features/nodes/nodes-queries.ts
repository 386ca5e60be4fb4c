import type { NodeChange } from "@miranda/contract/schemas/changes.ts";
import type { Position } from "@miranda/contract/schemas/nodes.ts";
import { type Insertable, type Selectable, sql, type UpdateObject } from "kysely";

import { housekeeping } from "../../limits.ts";
import type { NodesTable, Tables } from "../../tables/tables.ts";
import { compileOnce, type Given } from "../../platform/database/compiled-queries.ts";
import type { Db } from "../../platform/database/database.ts";
import type { EdgeRow } from "../../model/graph-rows.ts";
import type { Graphs } from "../graphs/graphs-service.ts";

export type NodeRow = Selectable<NodesTable>;
export type NodeUpdate = UpdateObject<Tables, "nodes">;

export interface EdgeKey {
  source_id: number;
  transmitter: string;
  target_id: number;
  receiver: string;
}

/** The columns that can be changed for many nodes at once. */
type ChangedRow = Pick<NodeRow, "metadata_id" | "locked" | "colour" | "tags" | "tag_users" | "updated_at">;

const rowsAtOnce = 250;
const now = sql<Date>`now()`;
export const asJson = <T>(value: T) => sql<T>`${JSON.stringify(value)}::jsonb`;

/** One node by its number or its UUID, with the caller's access to its graph. */
export function permittedNodeQueries(db: Db, { accessExpression }: Pick<Graphs, "accessExpression">) {
  const findBy = <Key extends "metadata_id" | "id">(column: Key) =>
    compileOnce(
      db,
      (given: Given<{ key: NodeRow[Key]; accountId: string; isAdmin: boolean; onlyProject: string | null }>) =>
        db
          .selectFrom("nodes")
          .innerJoin("graphs", "graphs.id", "nodes.graph_id")
          .innerJoin("projects", "projects.id", "graphs.project_id")
          .selectAll("nodes")
          .select(accessExpression(given).as("access"))
          .where(sql.ref(`nodes.${column}`), "=", given.key),
    );
  return { findByNumber: findBy("metadata_id"), findByUuid: findBy("id") };
}

/** Queries about nodes and edges, on the database or inside a transaction. */
export function nodeQueries(db: Db) {
  /** Skips existing edges and those with a missing end. */
  async function insertEdges(graphId: string, accountId: string, edges: readonly unknown[]): Promise<void> {
    await sql`
      insert into edges (graph_id, source_id, transmitter, target_id, receiver, segments, label, created_by)
      select ${graphId}, given.source_id, given.transmitter, given.target_id, given.receiver, given.segments,
        given.label, ${accountId}
      from jsonb_to_recordset(${JSON.stringify(edges)}::jsonb) as given(
        source_id bigint, transmitter text, target_id bigint, receiver text, segments jsonb, label text)
      where exists (select 1 from nodes where metadata_id = given.source_id and graph_id = ${graphId})
        and exists (select 1 from nodes where metadata_id = given.target_id and graph_id = ${graphId})
      on conflict do nothing`.execute(db);
  }

  const list = (graphId: string, metadataIds: readonly number[]): Promise<NodeRow[]> =>
    db
      .selectFrom("nodes")
      .selectAll()
      .where("graph_id", "=", graphId)
      .where(sql<boolean>`metadata_id = any(${metadataIds}::bigint[])`)
      .orderBy("metadata_id")
      .execute();

  return {
    insertEdges,
    list,

    /** Thousands of rows at once would block other requests. */
    async listInParts(graphId: string, metadataIds: readonly number[]): Promise<NodeRow[]> {
      const rows: NodeRow[] = [];
      const ordered = metadataIds.toSorted((one, other) => one - other);
      for (let at = 0; at < ordered.length; at += rowsAtOnce)
        rows.push(...(await list(graphId, ordered.slice(at, at + rowsAtOnce))));
      return rows;
    },

    find: (metadataId: number) =>
      db.selectFrom("nodes").selectAll().where("metadata_id", "=", metadataId).executeTakeFirst(),

    insert: (row: Insertable<NodesTable>) =>
      db.insertInto("nodes").values(row).returningAll().executeTakeFirstOrThrow(),

    update: (metadataId: number, accountId: string, change: NodeUpdate) =>
      db
        .updateTable("nodes")
        .set({ ...change, updated_by: accountId, updated_at: now })
        .where("metadata_id", "=", metadataId)
        .returningAll()
        .executeTakeFirstOrThrow(),

    setValue: (metadataId: number, accountId: string, name: string, value: unknown) =>
      db
        .updateTable("nodes")
        .set({
          field_values: sql`field_values || ${JSON.stringify({ [name]: value })}::jsonb`,
          updated_by: accountId,
          updated_at: now,
        })
        .where("metadata_id", "=", metadataId)
        .returningAll()
        .executeTakeFirstOrThrow(),

    unsetValue: (metadataId: number, accountId: string, name: string) =>
      db
        .updateTable("nodes")
        .set({ field_values: sql`field_values - ${name}::text`, updated_by: accountId, updated_at: now })
        .where("metadata_id", "=", metadataId)
        .returningAll()
        .executeTakeFirstOrThrow(),

    /** Locked nodes stay where they are. */
    async move(graphId: string, accountId: string, positions: Map<number, Position>): Promise<number[]> {
      const given = JSON.stringify([...positions].map(([id, { x, y }]) => ({ id, x, y })));
      const { rows } = await sql<{ metadata_id: number }>`
        update nodes set x = given.x, y = given.y, updated_by = ${accountId}, updated_at = now()
        from jsonb_to_recordset(${given}::jsonb) as given(id bigint, x float8, y float8)
        where nodes.metadata_id = given.id and nodes.graph_id = ${graphId} and not nodes.locked
        returning nodes.metadata_id`.execute(db);
      return rows.map((row) => row.metadata_id);
    },

    /** Disables, locks, colours and tags many nodes, each with its own values. */
    async changeMany(graphId: string, accountId: string, changes: Map<number, NodeChange>): Promise<ChangedRow[]> {
      const given = [...changes].map(([id, { colour, tags_added = [], tags_removed = [], ...switches }]) => ({
        id,
        ...switches,
        // jsonb_to_recordset reads a missing value as null.
        ...(colour !== undefined && { colour: colour ?? "" }),
        tags_added,
        tags_gone: [...tags_added, ...tags_removed],
      }));
      const { rows } = await sql<ChangedRow>`
        update nodes set
          api = case when given.disabled is null then nodes.api else
            case jsonb_typeof(nodes.api) when 'object' then nodes.api else '{}' end
              || jsonb_build_object('disabled', given.disabled) end,
          locked = coalesce(given.locked, nodes.locked),
          colour = case when given.colour is null then nodes.colour else nullif(given.colour, '') end,
          tags = array(select tag from unnest(nodes.tags) with ordinality as old(tag, at)
            where tag <> all(given.tags_gone) order by at) || given.tags_added,
          tag_users = (nodes.tag_users - given.tags_gone) || coalesce(
            (select jsonb_object_agg(tag, ${accountId}::text) from unnest(given.tags_added) as tag), '{}'),
          updated_by = ${accountId}, updated_at = now()
        from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given(id bigint, disabled boolean, locked boolean,
          colour text, tags_added text[], tags_gone text[])
        where nodes.metadata_id = given.id and nodes.graph_id = ${graphId}
        returning nodes.metadata_id, nodes.locked, nodes.colour, nodes.tags, nodes.tag_users, nodes.updated_at`.execute(
        db,
      );
      return rows;
    },

    /** Those of the numbers that are nodes of the graph, without their large columns. */
    listBriefly: (graphId: string, metadataIds: number[]) =>
      db
        .selectFrom("nodes")
        .select(["metadata_id", "name", "locked"])
        .where("graph_id", "=", graphId)
        .where(sql<boolean>`metadata_id = any(${metadataIds}::bigint[])`)
        .execute(),

    /** Undefined when this edge already exists. */
    insertEdge: (graphId: string, accountId: string, key: EdgeKey): Promise<EdgeRow | undefined> =>
      db
        .insertInto("edges")
        .values({ graph_id: graphId, ...key, created_by: accountId })
        .onConflict((conflict) => conflict.doNothing())
        .returning(["source_id", "transmitter", "target_id", "receiver", "segments", "label"])
        .executeTakeFirst(),

    updateEdge: (graphId: string, key: EdgeKey, change: { segments?: Position[]; label?: string }) =>
      db
        .updateTable("edges")
        .set({
          graph_id: graphId,
          ...(change.segments && { segments: asJson(change.segments) }),
          ...(change.label !== undefined && { label: change.label }),
        })
        .where("graph_id", "=", graphId)
        .where("source_id", "=", key.source_id)
        .where("transmitter", "=", key.transmitter)
        .where("target_id", "=", key.target_id)
        .where("receiver", "=", key.receiver)
        .returning(["source_id", "transmitter", "target_id", "receiver", "segments", "label"])
        .executeTakeFirst(),

    async deleteEdges(graphId: string, keys: EdgeKey[]): Promise<EdgeKey[]> {
      const { rows } = await sql<EdgeKey>`
        delete from edges using jsonb_to_recordset(${JSON.stringify(keys)}::jsonb)
          as given(source_id bigint, transmitter text, target_id bigint, receiver text)
        where edges.graph_id = ${graphId} and edges.source_id = given.source_id
          and edges.transmitter = given.transmitter and edges.target_id = given.target_id
          and edges.receiver = given.receiver
        returning edges.source_id, edges.transmitter, edges.target_id, edges.receiver`.execute(db);
      return rows;
    },

    edgesOf: (graphId: string, metadataIds: number[]): Promise<EdgeRow[]> =>
      db
        .selectFrom("edges")
        .select(["source_id", "transmitter", "target_id", "receiver", "segments", "label"])
        .where("graph_id", "=", graphId)
        .where(sql<boolean>`(source_id = any(${metadataIds}::bigint[]) or target_id = any(${metadataIds}::bigint[]))`)
        .execute(),

    /** Restores deleted nodes, with those of their edges whose other end exists. */
    async restoreNodes(graphId: string, accountId: string, metadataIds: number[]): Promise<number[]> {
      const { rows } = await sql<{ metadata_id: number; edges: unknown[] }>`
        with gone as (
          delete from deleted_nodes where graph_id = ${graphId} and metadata_id = any(${metadataIds}::bigint[])
          returning metadata_id, node, edges
        ), back as (
          insert into nodes select (jsonb_populate_record(null::nodes, node || jsonb_build_object(
            'updated_by', ${accountId}::text, 'updated_at', now(),
            'template_id', (select id from templates where id = (node->>'template_id')::uuid)))).*
          from gone
          on conflict do nothing
          returning metadata_id
        )
        select gone.metadata_id, gone.edges from gone join back using (metadata_id)`.execute(db);
      await insertEdges(
        graphId,
        accountId,
        rows.flatMap((row) => row.edges),
      );
      return rows.map((row) => row.metadata_id);
    },

    /** Nodes that were deleted a day ago can no longer be restored. Returns a batch of them, which are gone now. */
    forgetDeleted: async (): Promise<number[]> => {
      const { rows } = await sql<{ metadata_id: number }>`
        delete from deleted_nodes where metadata_id = any(array(
          select metadata_id from deleted_nodes where deleted_at < now() - interval '1 day'
          order by deleted_at limit ${housekeeping.rows} for update skip locked))
        returning metadata_id`.execute(db);
      return rows.map(({ metadata_id }) => metadata_id);
    },
  };
}
