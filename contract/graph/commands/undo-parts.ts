import { sameJson } from "../../json.ts";
import type { EdgeEnds, Node, NodeGroup } from "../../schemas/nodes.ts";
import { endsOf, type GraphContent } from "../content.ts";
import { edgeKey } from "../edge-key.ts";
import type { GraphPart } from "../graph-part.ts";
import type { Command, CommandOf, PartNames, Since, Skipped, UndoSplit } from "./command.ts";
import { changedEdge, missingEnds } from "./undo-edges.ts";
import { changedPart, differencesOf, drawingOf, inOrder, nothingToUndo, together } from "./undo.ts";

/** Deletes what was added, unless somebody else changed it or connected it since. */
export function splitDelete({ ids, edges, groups }: CommandOf<"delete">, since: Since): UndoSplit {
  const { now, left, isOwnCode } = since;
  const free: NamedParts = { ids: [], edges: [], groups: [] };
  const taken: NamedParts = { ids: [], edges: [], groups: [] };
  const skipped: Skipped[] = [];

  const connected = edgesSince(ids, since);
  for (const node of ids.map((id) => now.nodes[id]).filter((one) => one !== undefined)) {
    const id = node.metadata_id;
    const differs = [...differencesOf(node, left.nodes[id], isOwnCode), ...(connected.get(id) ?? [])];
    if (differs.length > 0) skipped.push(changedPart({ type: "node", id }, [node.name], differs));
    (differs.length > 0 ? taken : free).ids.push(id);
  }
  for (const ends of edges.filter((one) => now.edges[edgeKey(one)])) {
    const isFree = isDrawnAsLeft(ends, since);
    if (!isFree) skipped.push(changedEdge(ends, now));
    (isFree ? free : taken).edges.push(ends);
  }
  for (const group of groups.map((id) => now.groups[id]).filter((one) => one !== undefined)) {
    const isFree = isSameGroup(group, left.groups[group.id], now);
    if (!isFree) skipped.push(changedPart({ type: "group", id: group.id }, [group.name]));
    (isFree ? free : taken).groups.push(group.id);
  }
  return { free: deletion(free), taken: deletion(taken), skipped };
}

interface NamedParts extends PartNames {
  ids: number[];
  edges: EdgeEnds[];
  groups: string[];
}

function deletion(part: NamedParts): Command | undefined {
  return part.ids.length + part.edges.length + part.groups.length > 0 ? { type: "delete", ...part } : undefined;
}

function isDrawnAsLeft(ends: EdgeEnds, { now, left }: Since): boolean {
  const key = edgeKey(ends);
  const [edge, before] = [now.edges[key], left.edges[key]];
  return edge !== undefined && before !== undefined && sameJson(drawingOf(edge), drawingOf(before));
}

/** The edges at these nodes that somebody else made or drew since, by node. Deleting the node would delete them. */
function edgesSince(ids: readonly number[], since: Since): Map<number, GraphPart[]> {
  const found = new Map<number, GraphPart[]>(ids.map((id) => [id, []]));
  for (const edge of Object.values(since.now.edges)) {
    const ends = [found.get(edge.source_wob_key), found.get(edge.destination_wob_key)];
    if (ends.every((parts) => !parts) || isDrawnAsLeft(edge, since)) continue;
    for (const parts of new Set(ends)) parts?.push({ type: "edge", ends: endsOf(edge) });
  }
  return found;
}

/** A member that was deleted since does not change a group. */
function isSameGroup(now: NodeGroup, left: NodeGroup | undefined, { nodes }: GraphContent): boolean {
  if (!left) return false;
  const members = left.metadata_ids.filter((id) => nodes[id]);
  return sameJson(inOrder(now), inOrder({ ...left, metadata_ids: members }));
}

/** Brings back what was deleted, unless somebody else made the same since or deleted what it needs. */
export function splitRestore({ nodes, edges, groups }: CommandOf<"restore">, since: Since): UndoSplit {
  const { now } = since;
  const back = nodes.filter((node) => !now.nodes[node.metadata_id]);
  const after: Since = { ...since, now: { ...now, nodes: { ...now.nodes, ...byId(back) } } };
  const skipped: Skipped[] = [];
  const taken: Command[] = [];

  const freeEdges = edges.filter((edge) => {
    const known = now.edges[edgeKey(edge)];
    const gone = missingEnds(edge, after);
    skipped.push(...gone);
    if (known && !sameJson(drawingOf(known), drawingOf(edge))) {
      taken.push({ type: "draw", ends: endsOf(edge), drawing: drawingOf(edge) });
      skipped.push(changedEdge(edge, now));
    }
    return !known && gone.length === 0;
  });
  const freeGroups = groups.filter((group) => {
    const known = now.groups[group.id];
    if (known && !isSameGroup(known, group, after.now)) {
      const { id, ...fields } = group;
      taken.push({ type: "regroup", id, fields });
      skipped.push(changedPart({ type: "group", id }, [known.name]));
    }
    return !known;
  });

  if (back.length + freeEdges.length + freeGroups.length === 0)
    return { ...nothingToUndo, taken: together(taken), skipped };
  const ids = back.map((node) => node.metadata_id);
  const free: Command = { type: "restore", ids, nodes: back, edges: freeEdges, groups: freeGroups };
  return { free, taken: together(taken), skipped };
}

function byId(nodes: readonly Node[]): Record<string, Node> {
  return Object.fromEntries(nodes.map((node) => [node.metadata_id, node]));
}
