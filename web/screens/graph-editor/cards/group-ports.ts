import type { ResolvedContent } from "@miranda/contract/graph/resolution/resolve-content.ts";

import { kindColour } from "./kind-colours.ts";

/** Where an edge enters or leaves the card of a collapsed group. */
export interface GroupPort {
  handle: string;
  type: "source" | "target";
  /** The node inside, and its attribute. */
  node: string;
  name: string;
  colour: string;
  /** The middle of its row. */
  y: number;
}

export interface GroupPorts {
  ports: readonly GroupPort[];
  /** The larger number of rows of both sides. */
  rows: number;
}

/** Edges at further ports end at the header. */
const rowsMax = 12;
const row = { first: 56, height: 24 } as const;

type Content = Pick<ResolvedContent, "nodes" | "edges">;
const kept = new WeakMap<Content, ReadonlyMap<string, GroupPorts>>();

/** The ports of collapsed groups. `hidden` names the card of each node that is inside one. */
export function portsOfGroups(resolved: Content, hidden: ReadonlyMap<number, string>): ReadonlyMap<string, GroupPorts> {
  const known = kept.get(resolved);
  if (known) return known;
  const made = new Map<string, { ports: GroupPort[]; rows: number; counts: Record<GroupPort["type"], number> }>();
  const seen = new Set<string>();
  function add(group: string, type: GroupPort["type"], key: number, name: string, kind: string): void {
    const handle = groupHandle(type, key, name);
    if (seen.has(`${group} ${handle}`)) return;
    seen.add(`${group} ${handle}`);
    const there = made.get(group) ?? { ports: [], rows: 0, counts: { source: 0, target: 0 } };
    made.set(group, there);
    const at = there.counts[type];
    if (at >= rowsMax) return;
    there.counts[type] = at + 1;
    there.rows = Math.max(there.rows, at + 1);
    const y = row.first + at * row.height;
    there.ports.push({ handle, type, node: resolved.nodes[key]?.name ?? "", name, colour: kindColour(kind), y });
  }
  if (hidden.size > 0)
    for (const edge of resolved.edges) {
      const [from, to] = [hidden.get(edge.source_wob_key), hidden.get(edge.destination_wob_key)];
      if (from === to) continue;
      if (from !== undefined) add(from, "source", edge.source_wob_key, edge.source_transmitter_key, edge.kind);
      if (to !== undefined) add(to, "target", edge.destination_wob_key, edge.destination_receiver_key, edge.kind);
    }
  kept.set(resolved, made);
  return made;
}

export function groupHandle(type: GroupPort["type"], key: number, name: string): string {
  return `${type === "source" ? "out" : "in"}:${key}:${name}`;
}

/** The height that rows of ports add to a collapsed group's card. */
export function portsHeight(rows: number): number {
  return rows === 0 ? 0 : row.first - 12 + rows * row.height + 8;
}
