import { edgeKey } from "@miranda/contract/graph/edge-key.ts";
import { batch as limits, node as nodeLimits } from "@miranda/contract/limits.ts";
import type {
  ChangeManyBody,
  DeleteManyBody,
  DeleteManyResponse,
  NodeChange,
  PasteBody,
  PasteResponse,
  PositionsResponse,
  RestoreBody,
} from "@miranda/contract/schemas/changes.ts";
import type { BlueprintCloneResponse, Edge, EdgeEnds, Node, Position } from "@miranda/contract/schemas/nodes.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Db } from "../../platform/database/database.ts";
import { deleteNodes } from "../../model/deleted-nodes-queries.ts";
import { toContent, toContentInSlices, toTags } from "../../model/graph-rows.ts";
import type { EdgeInsert, GroupInsert, NodeInsert } from "../../model/graph-inserts.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import { keyOf } from "./edges-service.ts";
import { type GraphChanges, type ChangeView, reloadAll } from "./graph-changes-service.ts";
import { groupQueries } from "./groups-queries.ts";
import { type EdgeKey, nodeQueries } from "./nodes-queries.ts";
import type { Nodes } from "./nodes-service.ts";
import { type LinkedTemplate, pastedRows } from "./pasted-rows.ts";
import { restoreContent } from "./restored-content.ts";

type Queries = ReturnType<typeof nodeQueries>;
export type Batch = ReturnType<typeof createBatch>;

interface Dependencies {
  db: Db;
  graphs: Graphs;
  nodes: Pick<Nodes, "getNode">;
  changes: GraphChanges;
  /** The templates that the caller may read, by id. A node stays linked only to one of these. */
  links: { readable(caller: Caller, ids: readonly string[]): Promise<ReadonlyMap<string, LinkedTemplate>> };
}

/** Changes many nodes and edges of a graph at once, or none. */
export function createBatch({ db, graphs, nodes, changes, links }: Dependencies) {
  async function move(
    caller: Caller,
    graphId: string,
    positions: Map<number, Position>,
    check: (moved: ReadonlySet<number>) => void = () => undefined,
  ): Promise<PositionsResponse> {
    return changes.commit(caller, graphId, async (trx) => {
      const moved = new Set(await nodeQueries(trx).move(graphId, caller.accountId, positions));
      check(moved);
      const changed = Object.fromEntries([...positions].filter(([id]) => moved.has(id)));
      const skipped = [...positions.keys()].filter((id) => !moved.has(id));
      return { answer: { skipped }, change: () => ({ positions: changed }) };
    });
  }

  async function remove(
    caller: Caller,
    graphId: string,
    metadataIds: number[],
    keys: EdgeKey[],
    groups: string[] = [],
  ): Promise<DeleteManyResponse> {
    return changes.commit(caller, graphId, async (trx) => {
      const queries = nodeQueries(trx);
      const found = await queries.listBriefly(graphId, metadataIds);
      const ends = await queries.listBriefly(
        graphId,
        keys.flatMap((key) => [key.source_id, key.target_id]),
      );
      const locked = [...found, ...ends].find((row) => row.locked);
      if (locked) throw new AppError("node_locked");
      const ids = found.map((row) => row.metadata_id);
      const edges = [...(await queries.deleteEdges(graphId, keys)), ...(await queries.edgesOf(graphId, ids))];
      await deleteNodes(trx, graphId, ids);
      const deleted_groups = await groupQueries(trx, graphId).remove(groups);
      const answer = { deleted_nodes: ids, deleted_edges: edges.map(endsOf), deleted_groups };
      return { answer, change: () => answer };
    });
  }

  /** Adds copied nodes, edges and groups. They get new numbers. */
  async function add(
    caller: Caller,
    graphId: string,
    content: { nodes: NodeInsert[]; edges: EdgeInsert[]; groups?: GroupInsert[] },
  ): Promise<PasteResponse> {
    const { revision, numbers } = await graphs.add(caller, graphId, content, async (trx) => {
      const graph = await trx
        .selectFrom("graphs")
        .select("id")
        .where("id", "=", graphId)
        .forUpdate()
        .executeTakeFirst();
      if (!graph) throw new AppError("graph_not_found");
      if (content.groups?.length) await groupQueries(trx, graphId).makeRoom(content.groups.length);
    });
    const ids = [...numbers.values()];
    const queries = nodeQueries(db);
    const rows = await queries.listInParts(graphId, ids);
    const edges = await queries.edgesOf(graphId, ids);
    const groups = content.groups?.length ? await groupQueries(db, graphId).list(ids) : [];
    const change: ChangeView = (reader) => {
      const shown = toContent(rows, edges, reader);
      return { nodes: Object.values(shown.nodes), edges: shown.edges, groups };
    };
    changes.publish(caller, graphId, revision, rows.length > limits.eventNodesMax ? reloadAll : change);
    const made = cloneResponse(await toContentInSlices(rows, edges, false));
    return { ...made, groups, ids: Object.fromEntries(numbers), detached: [], revision };
  }

  return {
    add,

    /** Nodes of a graph, all edges at them, and the groups that contain some of them. */
    async select(graphId: string, metadataIds: number[]) {
      const queries = nodeQueries(db);
      return {
        nodes: await queries.list(graphId, metadataIds),
        edges: await queries.edgesOf(graphId, metadataIds),
        groups: await groupQueries(db, graphId).list(metadataIds),
      };
    },

    async moveOne(
      caller: Caller,
      graphId: string,
      metadataId: number,
      position: Position,
    ): Promise<{ revision: number }> {
      await graphs.getGraph(caller, graphId, "write");
      const node = await nodes.getNode(caller, metadataId, "write");
      if (node.graph_id !== graphId) throw new AppError("node_not_found");
      if (node.locked) throw new AppError("node_locked");
      const { revision } = await move(caller, graphId, new Map([[metadataId, position]]), (moved) => {
        // Somebody deleted it since it was read.
        if (!moved.has(metadataId)) throw new AppError("node_not_found");
      });
      return { revision };
    },

    async moveMany(caller: Caller, graphId: string, positions: Record<string, Position>): Promise<PositionsResponse> {
      await graphs.getGraph(caller, graphId, "write");
      return move(caller, graphId, new Map(Object.entries(positions).map(([id, position]) => [Number(id), position])));
    },

    async removeOne(caller: Caller, metadataId: number): Promise<DeleteManyResponse> {
      const { graph_id } = await nodes.getNode(caller, metadataId, "write");
      return remove(caller, graph_id, [metadataId], []);
    },

    async removeMany(
      caller: Caller,
      graphId: string,
      { metadata_ids, edges, groups }: DeleteManyBody,
    ): Promise<DeleteManyResponse> {
      await graphs.getGraph(caller, graphId, "write");
      return remove(caller, graphId, metadata_ids, edges.map(keyOf), groups);
    },

    /** Undoes a delete. */
    async restore(caller: Caller, graphId: string, body: RestoreBody): Promise<PasteResponse> {
      await graphs.getGraph(caller, graphId, "write");
      return changes.commit(caller, graphId, async (trx) => {
        const { ids, groups, view } = await restoreContent(trx, graphId, caller.accountId, body);
        await graphs.room.refuseTooMany(trx, graphId);
        // What is restored may be as large as everything deleted: always measure.
        await graphs.room.refuseTooLarge(trx, graphId, Number.POSITIVE_INFINITY);
        const shown = await view(false);
        const answer = {
          ...cloneResponse(shown),
          groups,
          ids: Object.fromEntries(ids.map((id) => [String(id), id])),
          detached: [],
        };
        if (ids.length > limits.eventNodesMax) return { answer, change: reloadAll };
        const read = await view(true);
        const change: ChangeView = (reader) => {
          const { nodes: back, edges } = reader ? read : shown;
          return { nodes: Object.values(back), edges, groups };
        };
        return { answer, change: change };
      });
    },

    /** Disables, locks, colours and tags many nodes: all of them, or none when one is locked or gone. */
    async changeMany(caller: Caller, graphId: string, given: ChangeManyBody["changes"]): Promise<{ revision: number }> {
      await graphs.getGraph(caller, graphId, "write");
      const wanted = new Map(Object.entries(given).map(([id, change]) => [Number(id), change]));
      return changes.commit(caller, graphId, async (trx) => {
        const queries = nodeQueries(trx);
        const found = await queries.listBriefly(graphId, [...wanted.keys()]);
        if (found.length < wanted.size) throw new AppError("nodes_gone");
        const locked = found.find((row) => row.locked && wanted.get(row.metadata_id)?.locked !== false);
        if (locked) throw new AppError("node_locked", `“${locked.name}” is locked. Nothing was changed.`);
        const rows = await queries.changeMany(graphId, caller.accountId, wanted);
        if (rows.some((row) => row.tags.length > nodeLimits.tagsMax)) throw new AppError("too_many_tags");
        return { answer: {}, change: () => changedParts(wanted, rows) };
      });
    },

    async paste(caller: Caller, graphId: string, body: PasteBody): Promise<PasteResponse> {
      await graphs.getGraph(caller, graphId, "write");
      const templates = await links.readable(
        caller,
        body.nodes.flatMap(({ template }) => template?.id ?? []),
      );
      const { detached, ...rows } = await pastedRows(body, templates);
      const made = await add(caller, graphId, rows);
      return { ...made, detached: detached.flatMap((key) => made.ids[key] ?? []) };
    },
  };
}

/** Only what changed: five hundred whole nodes would be megabytes for everybody. */
function changedParts(wanted: Map<number, NodeChange>, rows: Awaited<ReturnType<Queries["changeMany"]>>) {
  const disabled: Record<string, boolean> = {};
  const nodes = rows.map((row) => {
    const change = wanted.get(row.metadata_id) ?? {};
    if (change.disabled !== undefined) disabled[row.metadata_id] = change.disabled;
    return {
      metadata_id: row.metadata_id,
      last_updated: row.updated_at.toISOString(),
      ...(change.locked !== undefined && { locked: row.locked }),
      ...(change.colour !== undefined && { colour: row.colour }),
      ...((change.tags_added ?? change.tags_removed) && { tags: toTags(row) }),
    };
  });
  return { nodes, disabled };
}

function endsOf({ source_id, transmitter, target_id, receiver }: EdgeKey): EdgeEnds {
  return {
    source_wob_key: source_id,
    source_transmitter_key: transmitter,
    destination_wob_key: target_id,
    destination_receiver_key: receiver,
  };
}

function cloneResponse({ nodes, edges }: { nodes: Record<string, Node>; edges: Edge[] }): BlueprintCloneResponse {
  return {
    nodes,
    edges,
    node_positions: Object.fromEntries(Object.entries(nodes).map(([id, node]) => [id, node.position])),
    edge_segments: Object.fromEntries(edges.map((edge) => [edgeKey(edge), edge.segments])),
  };
}
