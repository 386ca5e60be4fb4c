import type { ResolvedContent } from "@miranda/contract/graph/resolution/resolve-content.ts";
import type { Node, NodeGroup, Position } from "@miranda/contract/schemas/nodes.ts";

import type { Area, Size } from "../canvas/free-area.ts";
import { hiddenNodes, groupPrefix } from "../cards/collapsed-groups.ts";
import { frameOf } from "../cards/group-frame.ts";
import { type GroupPorts, portsOfGroups } from "../cards/group-ports.ts";
import { boundsOf, boxOf, grid, snap } from "./arrange.ts";
import { gap, nearestFree, overlap } from "./free-place.ts";
import { layoutBoxes } from "./layout-boxes.ts";

type Content = Pick<ResolvedContent, "nodes" | "edges"> & { groups: Readonly<Record<string, NodeGroup>> };

/** What is placed as one: a node, or a group with its members at their new places. */
interface Block {
  area: Area;
  nodes: readonly Node[];
  /** Stays where it is: a note, something locked, or something that nobody asked to arrange. */
  isFixed: boolean;
}

const triesMax = 2_000;

/**
 * The new positions of the chosen nodes, from left to right along the edges. A group is one box: first its members are
 * arranged inside, then it is placed with everything else. A collapsed group keeps the places of its members inside.
 * Notes stay where they are, and nothing is placed on them; the notes of a group move with it.
 */
export function autoLayout(content: Content, chosen: ReadonlySet<number>, view: Size): Record<string, Position> {
  const ratio = view.width / Math.max(1, view.height);
  const ports = portsOfGroups({ nodes: content.nodes, edges: content.edges }, hiddenNodes(content.groups));
  const layout = createLayout(content, chosen, ports, ratio);
  const groups = Object.values(content.groups).map((group) => ({
    ...group,
    metadata_ids: [...new Set(group.metadata_ids)].filter((id) => content.nodes[id]),
  }));
  const placed = layout.arrange(Object.values(content.nodes), groups);
  const moved = placed
    .flatMap(({ nodes }) => nodes)
    .filter(({ metadata_id, position: { x, y } }) => {
      const before = content.nodes[metadata_id]?.position;
      return before?.x !== x || before.y !== y;
    });
  return Object.fromEntries(moved.map(({ metadata_id, position }) => [metadata_id, position]));
}

function createLayout(
  { edges }: Content,
  chosen: ReadonlySet<number>,
  ports: ReadonlyMap<string, GroupPorts>,
  ratio: number,
) {
  function arrange(nodes: readonly Node[], groups: readonly NodeGroup[]): Block[] {
    const blocks = blocksOf(nodes, groups);
    const [still, free] = [blocks.filter(({ isFixed }) => isFixed), blocks.filter(({ isFixed }) => !isFixed)];
    if (free.length === 0) return blocks;
    const before = boundsOf(free.map(({ area }) => area));
    // On the grid: otherwise everything would move a little each time.
    const origin = { x: Math.floor(before.x / grid) * grid, y: Math.floor(before.y / grid) * grid };
    const places = layoutBoxes(
      free.map(({ area }) => area),
      linksBetween(free, edges),
      ratio,
    );
    const placed = free.map((block, at) => {
      const { x = 0, y = 0 } = places[at] ?? {};
      return movedTo(block, { x: origin.x + x, y: origin.y + y });
    });
    return [...still, ...movedOffObstacles(placed, still, before)];
  }

  /** Each node is in one block. Of groups that share members, the larger one counts. */
  function blocksOf(nodes: readonly Node[], groups: readonly NodeGroup[]): Block[] {
    const left = new Map(nodes.map((node) => [node.metadata_id, node]));
    const blocks: Block[] = [];
    for (const group of groups.toSorted((one, other) => other.metadata_ids.length - one.metadata_ids.length)) {
      const members = group.metadata_ids.flatMap((id) => left.get(id) ?? []);
      const isShared = members.length < group.metadata_ids.length;
      if (members.length === 0 || isShared) continue;
      for (const { metadata_id } of members) left.delete(metadata_id);
      const inner = groups.filter((other) => other !== group);
      blocks.push(groupBlock(group, members, inner));
    }
    for (const node of left.values())
      blocks.push({ area: boxOf(node), nodes: [node], isFixed: node.class === "note" || !isMovable(node) });
    return blocks;
  }

  function groupBlock(group: NodeGroup, members: readonly Node[], groups: readonly NodeGroup[]): Block {
    const rows = ports.get(groupPrefix + group.id)?.rows;
    const isLocked = members.some((node) => node.locked);
    const isFixed = isLocked || !members.some((node) => isMovable(node) && node.class !== "note");
    const isWhole = isFixed || group.collapsed;
    const nodes = isWhole ? members : arrange(members, groups).flatMap((block) => block.nodes);
    return { area: frameOf(group, nodes.map(boxOf), rows), nodes, isFixed };
  }

  function isMovable({ metadata_id, locked }: Node): boolean {
    return chosen.has(metadata_id) && !locked;
  }

  return { arrange };
}

function linksBetween(blocks: readonly Block[], edges: Content["edges"]): (readonly [number, number])[] {
  const blockOf = new Map(blocks.flatMap(({ nodes }, at) => nodes.map((node) => [node.metadata_id, at] as const)));
  const links = new Map<string, readonly [number, number]>();
  for (const edge of edges) {
    const [from, to] = [blockOf.get(edge.source_wob_key), blockOf.get(edge.destination_wob_key)];
    if (edge.implied === true || from === undefined || to === undefined || from === to) continue;
    links.set(`${from} ${to}`, [from, to]);
  }
  return [...links.values()];
}

/** Puts a block there, or a little further right and down: its first node is on the grid. */
function movedTo(block: Block, { x, y }: Position): Block {
  const first = boundsOf(block.nodes.map(boxOf));
  const onGrid = (value: number) => Math.ceil(value / grid) * grid;
  return movedBy(block, {
    x: onGrid(x + first.x - block.area.x) - first.x,
    y: onGrid(y + first.y - block.area.y) - first.y,
  });
}

function movedBy({ area, nodes, isFixed }: Block, { x, y }: Position): Block {
  if (x === 0 && y === 0) return { area, nodes, isFixed };
  const move = (at: Position) => ({ x: at.x + x, y: at.y + y });
  return {
    area: { ...area, ...move(area) },
    nodes: nodes.map((node) => ({ ...node, position: move(node.position) })),
    isFixed,
  };
}

/** Moves all blocks together to where none of them lies on anything that stays. */
function movedOffObstacles(blocks: readonly Block[], still: readonly Block[], before: Area): readonly Block[] {
  const all = boundsOf(blocks.map(({ area }) => area));
  // A note that everything lay on and still lies on is its background.
  const obstacles = still
    .filter(({ area, nodes }) => nodes[0]?.class !== "note" || !contains(area, before) || !contains(area, all))
    .map(({ area }) => area);
  const isCovering = blocks.some(({ area }) => obstacles.some((other) => overlap(area, other, 0)));
  if (!isCovering) return blocks;
  const { x, y } = freePlace(all, obstacles);
  return blocks.map((block) => movedBy(block, { x: snap(x - all.x), y: snap(y - all.y) }));
}

/** The nearest free place; below everything when the search takes too long. */
function freePlace(block: Area, obstacles: readonly Area[]): Position {
  const { x, y } = nearestFree(block, obstacles, triesMax);
  const isFree = !obstacles.some((other) => overlap({ ...block, x, y }, other, 0));
  if (isFree) return { x, y };
  const { y: top, height } = boundsOf(obstacles);
  return { x: block.x, y: top + height + gap };
}

function contains(outer: Area, inner: Area): boolean {
  return (
    outer.x <= inner.x &&
    outer.y <= inner.y &&
    outer.x + outer.width >= inner.x + inner.width &&
    outer.y + outer.height >= inner.y + inner.height
  );
}
