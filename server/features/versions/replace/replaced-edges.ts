import { sameJson } from "@miranda/contract/json.ts";

import type { VersionContent } from "../version-content.ts";
import { isDeepStrictEqual } from "node:util";

import type { EdgeRow } from "../../../model/graph-rows.ts";
import type { AddedEdge, GroupRow } from "./replace-content-queries.ts";

interface EdgeChanges {
  /** New edges, and edges that are drawn in another way. */
  put: AddedEdge[];
  removed: EdgeRow[];
}

/** What changes between the edges of a graph and those of a version. `numbers` are those of all nodes that the graph will have. */
export function edgeChanges(
  rows: readonly EdgeRow[],
  wanted: VersionContent,
  numbers: ReadonlyMap<string, number>,
): EdgeChanges {
  const now = new Map(rows.map((row) => [keyOf(row), row]));
  const put: AddedEdge[] = [];
  for (const { source, target, transmitter, receiver, segments, label } of wanted.edges.values()) {
    const [source_id, target_id] = [numbers.get(source), numbers.get(target)];
    if (source_id === undefined || target_id === undefined) continue;
    const edge = { source_id, transmitter, target_id, receiver, segments, label };
    const row = now.get(keyOf(edge));
    now.delete(keyOf(edge));
    if (!row || row.label !== label || !sameJson(row.segments, segments)) put.push(edge);
  }
  return { put, removed: [...now.values()] };
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

function keyOf({ source_id, transmitter, target_id, receiver }: AddedEdge): string {
  return JSON.stringify([source_id, transmitter, target_id, receiver]);
}
