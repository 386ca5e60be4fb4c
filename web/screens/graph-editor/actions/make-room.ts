import type { ResolvedContent } from "@miranda/contract/graph/resolution/resolve-content.ts";
import type { Node, NodeGroup, Position } from "@miranda/contract/schemas/nodes.ts";

import { frameOf } from "../cards/group-frame.ts";
import { portsOfGroups } from "../cards/group-ports.ts";
import { type Box, boxOf, grid } from "./arrange.ts";

type Area = Omit<Box, "id">;
type Content = Pick<ResolvedContent, "nodes" | "edges"> & { groups: Readonly<Record<string, NodeGroup>> };

/** What moves as one: a card, or a group with all its members. */
interface Block extends Area {
  ids: readonly number[];
  isFixed: boolean;
}

/** The space between a moved node and everything else. */
const gap = 16;
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

function overlap(one: Area, other: Area, space: number): boolean {
  return (
    one.x < other.x + other.width + space &&
    other.x < one.x + one.width + space &&
    one.y < other.y + other.height + space &&
    other.y < one.y + one.height + space
  );
}

/** How far a block would have to move at least to be beside the area. */
function depth(block: Area, area: Area): number {
  return Math.min(...waysOut(block, area).map(({ x, y }) => Math.hypot(x - block.x, y - block.y)));
}

/** The four places beside an obstacle: left, right, above and below. On the grid, where people put nodes. */
function waysOut({ x, y, width, height }: Area, obstacle: Area): Position[] {
  const before = (edge: number) => Math.floor((edge - gap) / grid) * grid;
  const after = (edge: number) => Math.ceil((edge + gap) / grid) * grid;
  return [
    { x: before(obstacle.x - width), y },
    { x: after(obstacle.x + obstacle.width), y },
    { x, y: before(obstacle.y - height) },
    { x, y: after(obstacle.y + obstacle.height) },
  ];
}

/** The nearest place where the block covers nothing. Whatever is in the way leads to four further places. */
function nearestFree(block: Area, obstacles: readonly Area[], most: number): Position & { tries: number } {
  const seen = new Set<string>();
  const open: (Position & { distance: number })[] = [{ x: block.x, y: block.y, distance: 0 }];
  let tries = 0;
  for (; tries < most; tries += 1) {
    let nearest = 0;
    for (let at = 1; at < open.length; at += 1)
      if ((open[at]?.distance ?? Infinity) < (open[nearest]?.distance ?? Infinity)) nearest = at;
    const [place] = open.splice(nearest, 1);
    if (!place) break;
    const at = { ...block, x: place.x, y: place.y };
    const obstacle = obstacles.find((other) => overlap(at, other, gap));
    if (!obstacle) return { x: place.x, y: place.y, tries };
    for (const { x, y } of waysOut(at, obstacle)) {
      const key = `${x} ${y}`;
      if (seen.has(key)) continue;
      seen.add(key);
      open.push({ x, y, distance: Math.hypot(x - block.x, y - block.y) });
    }
  }
  return { x: block.x, y: block.y, tries };
}
