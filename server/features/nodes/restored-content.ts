import { edgeRefusal } from "@miranda/contract/graph/edge-rules.ts";
import type { RestoreBody } from "@miranda/contract/schemas/changes.ts";
import type { Edge, Node, NodeGroup } from "@miranda/contract/schemas/nodes.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Db } from "../../platform/database/database.ts";
import { type EdgeRow, toContentInSlices } from "../../model/graph-rows.ts";
import { endOf, endsOf, keyOf } from "./edges-service.ts";
import { groupQueries } from "./groups-queries.ts";
import { type EdgeKey, nodeQueries, type NodeRow } from "./nodes-queries.ts";

export interface Restored {
  ids: number[];
  groups: NodeGroup[];
  view(reader: boolean): Promise<{ nodes: Record<string, Node>; edges: Edge[] }>;
}

/** Restores what was deleted, inside a transaction: nodes with their numbers, values and edges; edges; groups. */
export async function restoreContent(
  trx: Db,
  graphId: string,
  accountId: string,
  given: RestoreBody,
): Promise<Restored> {
  const queries = nodeQueries(trx);
  const ids = await queries.restoreNodes(graphId, accountId, given.metadata_ids);
  const alone = await restoreEdges(trx, graphId, accountId, given.edges, new Set(ids));
  const groups = await restoreGroups(trx, graphId, given.groups, ids);
  if (ids.length + alone.length + given.groups.length === 0) throw new AppError("nothing_to_restore");
  const rows = await queries.listInParts(graphId, ids);
  const edges = [...(await queries.edgesOf(graphId, ids)), ...alone];
  // An edge is described by both ends, one of which may never have been deleted.
  const back = new Set(ids);
  const ends = edges.flatMap((edge) => [edge.source_id, edge.target_id]).filter((id) => !back.has(id));
  const others = await queries.list(graphId, [...new Set(ends)]);
  return {
    ids,
    groups,
    view: async (reader) => onlyThese(rows, await toContentInSlices([...rows, ...others], edges, reader)),
  };
}

/**
 * Edges that were deleted without a node, as they are stored now: one that somebody drew again meanwhile keeps its bends
 * and label. Those with a missing end are skipped.
 */
async function restoreEdges(
  trx: Db,
  graphId: string,
  accountId: string,
  given: RestoreBody["edges"],
  back: ReadonlySet<number>,
): Promise<EdgeRow[]> {
  const queries = nodeQueries(trx);
  const rows = await queries.list(
    graphId,
    given.flatMap(({ from_id, to_id }) => [from_id, to_id]),
  );
  const byId = new Map(rows.map((row) => [row.metadata_id, row]));
  const edges = new Map<string, EdgeRow>();
  for (const edge of given) {
    const [source, target] = [byId.get(edge.from_id), byId.get(edge.to_id)];
    if (!source || !target) continue;
    if ([source, target].some((row) => row.locked && !back.has(row.metadata_id))) throw new AppError("node_locked");
    const refusal = edgeRefusal(endOf(source), endOf(target), endsOf(edge));
    // An edge whose attribute is gone was broken before it was deleted.
    if (refusal && refusal !== "attribute_not_found") throw new AppError(refusal);
    const row = { ...keyOf(edge), segments: edge.segments ?? [], label: edge.label ?? "" };
    edges.set(textOf(row), row);
  }
  const wanted = [...edges.values()];
  await queries.insertEdges(graphId, accountId, wanted);
  const stored = await queries.edgesOf(graphId, [...new Set(wanted.map(({ target_id }) => target_id))]);
  return stored.filter((row) => edges.has(textOf(row)) && !back.has(row.source_id) && !back.has(row.target_id));
}

function textOf({ source_id, transmitter, target_id, receiver }: EdgeKey): string {
  return JSON.stringify([source_id, transmitter, target_id, receiver]);
}

async function restoreGroups(trx: Db, graphId: string, given: RestoreBody["groups"], ids: number[]) {
  const queries = groupQueries(trx, graphId);
  if (given.length > 0) {
    await queries.makeRoom(given.length);
    await queries.insertMany(given);
  }
  return queries.list(
    ids,
    given.map(({ id }) => id),
  );
}

function onlyThese(rows: NodeRow[], content: { nodes: Record<string, Node>; edges: Edge[] }) {
  const nodes = Object.fromEntries(
    rows.flatMap(({ metadata_id }) => {
      const node = content.nodes[metadata_id];
      return node ? [[metadata_id, node] as const] : [];
    }),
  );
  return { nodes, edges: content.edges };
}
