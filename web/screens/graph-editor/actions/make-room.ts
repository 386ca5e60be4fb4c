import type { ResolvedContent } from "@miranda/contract/graph/resolution/resolve-content.ts";
import type { Node, NodeGroup, Position } from "@miranda/contract/schemas/nodes.ts";

import { frameOf } from "../cards/group-frame.ts";
import { portsOfGroups } from "../cards/group-ports.ts";
import type { Area } from "../canvas/free-area.ts";
import { boxOf } from "./arrange.ts";
import { nearestFree, overlap, waysOut } from "./free-place.ts";

type Content = Pick<ResolvedContent, "nodes" | "edges"> & { groups: Readonly<Record<string, NodeGroup>> };

/** What moves as one: a card, or a group with all its members. */
interface Block extends Area {
  ids: readonly number[];
  isFixed: boolean;
}

/** How many places are tried for one block, and for all of them. A block without a free place stays where it is. */
const triesMax = { one: 2_000, all: 20_000 } as const;

/**
 * The new positions of nodes that a group would cover once it is opened or collapsed. Its members and everything that it
 * does not cover stay where they are. Locked nodes stay too, and so do notes that lie behind the group already.
 */
export function roomFor(content: Content, id: string, collapsed: boolean): Record<string, Position> {
  const group = content.groups[id];
  if (!group) return {};
  const now = areaOf(content, group);
  const next = areaOf(content, { ...group, collapsed });
  if (!now || !next) return {};
  const blocks = blocksOf(content, group, now);
  const isCovered = (block: Block) => !block.isFixed && overlap(block, next, 0);
  // The nearest way out comes first: it takes the place beside the group.
  const covered = blocks.filter(isCovered).sort((one, other) => depth(one, next) - depth(other, next));
  const others: Area[] = [next, ...blocks.filter((block) => !covered.includes(block))];
  const moved: Record<string, Position> = {};
  let left: number = triesMax.all;
  for (const block of covered) {
    const { x, y, tries } = nearestFree(block, others, Math.min(left, triesMax.one));
    left -= tries;
    others.push({ ...block, x, y });
    for (const member of block.ids) {
      const { position } = content.nodes[member] ?? {};
      if (position && (x !== block.x || y !== block.y))
        moved[member] = { x: position.x + x - block.x, y: position.y + y - block.y };
    }
  }
  return moved;
}

function areaOf({ nodes, edges, groups }: Content, group: NodeGroup): Area | undefined {
  const members = membersOf(nodes, group).map(boxOf);
  if (members.length === 0) return undefined;
  if (!group.collapsed) return frameOf(group, members);
  const hidden = new Map<number, string>();
  for (const one of [...Object.values(groups), group])
    if (one.collapsed) for (const id of one.metadata_ids) hidden.set(id, one.id);
  return frameOf(group, members, portsOfGroups({ nodes, edges }, hidden).get(group.id)?.rows);
}

function membersOf(nodes: Content["nodes"], { metadata_ids }: NodeGroup): Node[] {
  return metadata_ids.flatMap((id) => nodes[id] ?? []);
}

/** Everything that is drawn beside the group, which covers `now`. */
function blocksOf(content: Content, group: NodeGroup, now: Area): Block[] {
  const { nodes, groups } = content;
  const own = new Set(group.metadata_ids);
  const placed = new Set(own);
  const blocks: Block[] = [];
  for (const other of Object.values(groups)) {
    const members = membersOf(nodes, other);
    const area = areaOf(content, other);
    if (other.id === group.id || !area || members.some((node) => placed.has(node.metadata_id))) continue;
    // A group around this one gives way node by node.
    if (!other.collapsed && overlap(area, now, 0)) continue;
    const ids = members.map((node) => node.metadata_id);
    for (const id of ids) placed.add(id);
    blocks.push({ ...area, ids, isFixed: members.some((node) => node.locked) });
  }
  for (const node of Object.values(nodes)) {
    if (placed.has(node.metadata_id)) continue;
    const { id, ...area } = boxOf(node);
    const isBehind = node.class === "note" && overlap(area, now, 0);
    if (!isBehind) blocks.push({ ...area, ids: [id], isFixed: node.locked });
  }
  return blocks;
}

/** How far a block would have to move at least to be beside the area. */
function depth(block: Area, area: Area): number {
  return Math.min(...waysOut(block, area).map(({ x, y }) => Math.hypot(x - block.x, y - block.y)));
}
