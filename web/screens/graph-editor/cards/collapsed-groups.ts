import type { ResolvedContent } from "@miranda/contract/graph/resolution/resolve-content.ts";
import type { NodeGroup } from "@miranda/contract/schemas/nodes.ts";

import { boxOf } from "../actions/arrange.ts";
import type { Area } from "../canvas/free-area.ts";
import { frameOf } from "./group-frame.ts";
import { portsOfGroups } from "./group-ports.ts";

/** What the id of a group begins with on the canvas, where nodes have ids too. */
export const groupPrefix = "group:";

/** The card of a collapsed group: all that is drawn of its members. */
export interface GroupCard {
  /** Its id on the canvas. */
  flowId: string;
  group: NodeGroup;
  /** The members that exist. */
  ids: readonly number[];
  area: Area;
}

type Content = Pick<ResolvedContent, "nodes" | "edges"> & {
  content: { groups: Readonly<Record<string, NodeGroup>> };
};
/** By the ids of the hidden members. */
export type GroupCards = ReadonlyMap<number, GroupCard>;

const kept = new WeakMap<Content, GroupCards>();

/** The cards of collapsed groups, for each node that is hidden in one. */
export function groupCards(resolved: Content): GroupCards {
  const known = kept.get(resolved);
  if (known) return known;
  const { groups } = resolved.content;
  const made = new Map<number, GroupCard>();
  const ports = portsOfGroups(resolved, hiddenNodes(groups));
  for (const group of Object.values(groups)) {
    const members = group.collapsed ? group.metadata_ids.flatMap((id) => resolved.nodes[id] ?? []) : [];
    if (members.length === 0) continue;
    const flowId = groupPrefix + group.id;
    const area = frameOf(group, members.map(boxOf), ports.get(flowId)?.rows);
    const card = { flowId, group, ids: members.map((node) => node.metadata_id), area };
    for (const id of card.ids) made.set(id, card);
  }
  kept.set(resolved, made);
  return made;
}

/** The nodes inside collapsed groups, each with the id of its group's card. */
export function hiddenNodes(groups: Readonly<Record<string, NodeGroup>>): Map<number, string> {
  const hidden = new Map<number, string>();
  for (const group of Object.values(groups)) {
    if (group.collapsed) for (const id of group.metadata_ids) hidden.set(id, groupPrefix + group.id);
  }
  return hidden;
}

/** Something that is drawn: a node, or the card of a collapsed group with its members. */
export interface DrawnItem {
  ids: readonly number[];
  area: Area;
}

/** All nodes that are drawn, and the cards of collapsed groups. */
export function drawnItems(resolved: Content): DrawnItem[] {
  const cards = groupCards(resolved);
  const nodes = Object.values(resolved.nodes).filter((node) => !cards.has(node.metadata_id));
  return [...nodes.map((node) => ({ ids: [node.metadata_id], area: boxOf(node) })), ...new Set(cards.values())];
}
