import { sameJson } from "@miranda/contract/json.ts";
import type { VersionEdge } from "@miranda/contract/schemas/versions.ts";
import { isDeepStrictEqual } from "node:util";

import type { EdgeRow } from "../../../model/graph-rows.ts";
import type { VersionContent } from "../version-content.ts";
import type { AddedEdge, GroupRow } from "./replace-content-queries.ts";

interface EdgeChanges {
  /** New edges, and edges that are drawn in another way. */
  put: AddedEdge[];
  removed: EdgeRow[];
}

/** What changes between the edges of a graph and those of a version. `numbers` are those of all nodes that the graph will have. */
export function edgeChanges(
  now: VersionContent,
  wanted: VersionContent,
  numbers: ReadonlyMap<string, number>,
): EdgeChanges {
  const kept = new Set<string>();
  const put: AddedEdge[] = [];
  for (const [key, edge] of wanted.edges) {
    const row = toRow(edge, (lineage) => numbers.get(lineage));
    if (!row) continue;
    kept.add(key);
    const before = now.edges.get(key);
    const isSame = before === edge || (before?.label === edge.label && sameJson(before.segments, edge.segments));
    if (!isSame) put.push(row);
  }
  const removed = [...now.edges]
    .filter(([key]) => !kept.has(key))
    .flatMap(([, edge]) => toRow(edge, (lineage) => now.nodes.get(lineage)?.metadata_id) ?? []);
  return { put, removed };
}

/** Undefined when a node at its ends has no number. */
function toRow(edge: VersionEdge, numberOf: (lineage: string) => number | undefined): EdgeRow | undefined {
  const { source, transmitter, target, receiver, segments, label } = edge;
  const [source_id, target_id] = [numberOf(source), numberOf(target)];
  if (source_id === undefined || target_id === undefined) return undefined;
  return { source_id, transmitter, target_id, receiver, segments, label };
}

interface GroupChanges {
  put: GroupRow[];
  /** Those that stay as they are. */
  same: GroupRow[];
  removed: string[];
}

export function groupChanges(
  rows: readonly GroupRow[],
  wanted: VersionContent,
  numbers: ReadonlyMap<string, number>,
  newId: () => string,
): GroupChanges {
  const now = new Map(rows.map((row) => [row.lineage, row]));
  const present = new Set(numbers.values());
  const put: GroupRow[] = [];
  const same: GroupRow[] = [];
  for (const { lineage, name, colour, collapsed, members } of wanted.groups.values()) {
    const row = now.get(lineage);
    now.delete(lineage);
    const numbered = members.flatMap((member) => numbers.get(member) ?? []);
    // A deleted node is in its group again when it is restored.
    const deleted = (row?.members ?? []).map(Number).filter((id) => !present.has(id));
    const group = { id: row?.id ?? newId(), lineage, name, colour, collapsed, members: [...numbered, ...deleted] };
    if (row && isSame(row, group)) same.push({ ...row, members: row.members.map(Number) });
    else put.push(group);
  }
  return { put, same, removed: [...now.values()].map(({ id }) => id) };
}

function isSame(row: GroupRow, group: GroupRow): boolean {
  const sorted = (members: readonly number[]) => members.map(Number).toSorted((one, other) => one - other);
  return isDeepStrictEqual({ ...row, members: sorted(row.members) }, { ...group, members: sorted(group.members) });
}
