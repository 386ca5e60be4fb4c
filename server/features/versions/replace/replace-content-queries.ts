import type { NodeClass, Position } from "@miranda/contract/schemas/nodes.ts";
import { sql, type SqlBool } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import type { EdgeRow, NodeRow } from "../../../model/graph-rows.ts";

export interface GroupRow {
  id: string;
  lineage: string;
  name: string;
  colour: string | null;
  collapsed: boolean;
  members: number[];
}

/** The columns of a node that a version decides. */
export interface NodeColumns {
  class: NodeClass;
  name: string;
  description: string;
  order: number;
  x: number;
  y: number;
  colour: string | null;
  api: unknown;
  field_values: Record<string, unknown>;
  body: unknown;
  source_code: string;
  tags: string[];
  tag_users: Record<string, string>;
  locked: boolean;
  git: string | null;
  git_branch: string | null;
  update_policy: "linked" | "detached" | null;
  template_id: string | null;
  template_ref: string | null;
  template_version: number | null;
}

export interface AddedNode extends NodeColumns {
  /** Null for a new number. */
  metadata_id: number | null;
  id: string;
  lineage: string;
}

export interface AddedEdge {
  source_id: number;
  transmitter: string;
  target_id: number;
  receiver: string;
  segments: Position[];
  label: string;
}

const rowsAtOnce = 250;
const columns = sql`class text, name text, description text, "order" integer, x float8, y float8, colour text, api jsonb,
  field_values jsonb, body jsonb, source_code text, tags text[], tag_users jsonb, locked boolean, git text,
  git_branch text, update_policy text, template_id uuid, template_ref text, template_version integer`;
/** A template may have been deleted since. */
const template = sql`(select id from templates where id = given.template_id)`;

/** For replacing the content of a graph inside a transaction that holds its lock. */
export function replaceContentQueries(db: Db, graphId: string, accountId: string) {
  return {
    nodesNumbered: (metadataIds: readonly number[]): Promise<NodeRow[]> =>
      db
        .selectFrom("nodes")
        .selectAll()
        .where("graph_id", "=", graphId)
        .where(sql<SqlBool>`metadata_id = any(${metadataIds}::bigint[])`)
        .orderBy("metadata_id")
        .execute(),

    /** The edges that begin or end at these nodes. */
    edgesAt: (metadataIds: readonly number[]): Promise<EdgeRow[]> =>
      db
        .selectFrom("edges")
        .select(["source_id", "transmitter", "target_id", "receiver", "segments", "label"])
        .where("graph_id", "=", graphId)
        .where(sql<SqlBool>`(source_id = any(${metadataIds}::bigint[]) or target_id = any(${metadataIds}::bigint[]))`)
        .execute(),

    groups: (): Promise<GroupRow[]> =>
      db
        .selectFrom("node_groups")
        .select(["id", "lineage", "name", "colour", "collapsed", "members"])
        .where("graph_id", "=", graphId)
        .execute(),

    /** Deleted nodes of this graph that can still be restored, by lineage. */
    deleted: async (lineages: readonly string[]) => {
      const { rows } = await sql<{
        metadata_id: number;
        id: string;
        lineage: string;
        field_values: Record<string, unknown>;
      }>`
        select metadata_id, node->>'id' as id, node->>'lineage' as lineage, node->'field_values' as field_values
        from deleted_nodes where graph_id = ${graphId} and node->>'lineage' = any(${lineages}::text[])
        order by deleted_at`.execute(db);
      return new Map(rows.map((row) => [row.lineage, row]));
    },

    /** Those of the numbers that a node already has, in any graph. */
    taken: async (metadataIds: readonly number[]): Promise<Set<number>> => {
      const rows = await db
        .selectFrom("nodes")
        .select("metadata_id")
        .where(sql<SqlBool>`metadata_id = any(${metadataIds}::bigint[])`)
        .execute();
      return new Set(rows.map(({ metadata_id }) => metadata_id));
    },

    /** Returns the numbers by lineage. */
    async add(nodes: readonly AddedNode[]): Promise<Map<string, number>> {
      const numbers = new Map<string, number>();
      for (const some of inParts(nodes)) {
        const { rows } = await sql<{ lineage: string; metadata_id: number }>`
          insert into nodes (metadata_id, id, graph_id, lineage, class, name, description, "order", x, y, colour, api,
            field_values, body, source_code, tags, tag_users, locked, git, git_branch, update_policy, template_id,
            template_ref, template_version, updated_by)
          select coalesce(metadata_id, nextval('metadata_ids')), id, ${graphId}, lineage, class, name, description,
            "order", x, y, colour, api, field_values, body, source_code, tags, tag_users, locked, git, git_branch,
            update_policy, ${template}, template_ref, template_version, ${accountId}
          from jsonb_to_recordset(${JSON.stringify(some)}::jsonb)
            as given(metadata_id bigint, id uuid, lineage uuid, ${columns})
          returning lineage, metadata_id`.execute(db);
        for (const { lineage, metadata_id } of rows) numbers.set(lineage, metadata_id);
      }
      await sql`delete from deleted_nodes where metadata_id = any(${[...numbers.values()]}::bigint[])`.execute(db);
      return numbers;
    },

    async update(nodes: readonly (NodeColumns & { metadata_id: number })[]): Promise<void> {
      for (const some of inParts(nodes))
        await sql`
          update nodes set class = given.class, name = given.name, description = given.description,
            "order" = given."order", x = given.x, y = given.y, colour = given.colour, api = given.api,
            field_values = given.field_values, body = given.body, source_code = given.source_code, tags = given.tags,
            tag_users = given.tag_users, locked = given.locked, git = given.git, git_branch = given.git_branch,
            update_policy = given.update_policy, template_id = ${template}, template_ref = given.template_ref,
            template_version = given.template_version, updated_by = ${accountId}, updated_at = now()
          from jsonb_to_recordset(${JSON.stringify(some)}::jsonb) as given(metadata_id bigint, ${columns})
          where nodes.metadata_id = given.metadata_id and nodes.graph_id = ${graphId}`.execute(db);
    },

    /** Makes the present code of these nodes a commit of each. */
    async commitCode(metadataIds: readonly number[], message: string): Promise<void> {
      await sql`
        insert into node_commits (id, metadata_id, graph_id, number, author_id, message, source_code, api)
        select gen_random_uuid(), metadata_id, graph_id, coalesce((select max(number) from node_commits
          where node_commits.metadata_id = nodes.metadata_id), 0) + 1, ${accountId}, ${message}, source_code, api
        from nodes where graph_id = ${graphId} and metadata_id = any(${metadataIds}::bigint[])`.execute(db);
    },

    async removeEdges(edges: readonly AddedEdge[]): Promise<void> {
      for (const some of inParts(edges, 2_000))
        await sql`
          delete from edges using jsonb_to_recordset(${JSON.stringify(some)}::jsonb)
            as given(source_id bigint, transmitter text, target_id bigint, receiver text)
          where edges.graph_id = ${graphId} and edges.source_id = given.source_id
            and edges.transmitter = given.transmitter and edges.target_id = given.target_id
            and edges.receiver = given.receiver`.execute(db);
    },

    /** Adds edges. An edge that exists already gets the new bends and the new label. */
    async addEdges(edges: readonly AddedEdge[]): Promise<void> {
      for (const some of inParts(edges, 2_000))
        await sql`
          insert into edges (graph_id, source_id, transmitter, target_id, receiver, segments, label, created_by)
          select ${graphId}, source_id, transmitter, target_id, receiver, segments, label, ${accountId}
          from jsonb_to_recordset(${JSON.stringify(some)}::jsonb)
            as given(source_id bigint, transmitter text, target_id bigint, receiver text, segments jsonb, label text)
          on conflict (source_id, transmitter, target_id, receiver) do update
          set segments = excluded.segments, label = excluded.label`.execute(db);
    },

    async putGroups(groups: readonly GroupRow[]): Promise<void> {
      for (const group of groups)
        await db
          .insertInto("node_groups")
          .values({ ...group, graph_id: graphId })
          .onConflict((conflict) =>
            conflict.column("id").doUpdateSet({
              name: group.name,
              colour: group.colour,
              collapsed: group.collapsed,
              members: group.members,
            }),
          )
          .execute();
    },

    async removeGroups(ids: readonly string[]): Promise<void> {
      await sql`delete from node_groups where graph_id = ${graphId} and id = any(${ids}::uuid[])`.execute(db);
    },
  };
}

function* inParts<Row>(rows: readonly Row[], atOnce = rowsAtOnce): Iterable<Row[]> {
  for (let at = 0; at < rows.length; at += atOnce) yield rows.slice(at, at + atOnce);
}
