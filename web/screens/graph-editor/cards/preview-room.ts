import type { Node } from "@miranda/contract/schemas/nodes.ts";

import type { GraphStore } from "../../../providers/graph/graph-store.ts";
import { boxOf } from "../actions/arrange.ts";
import type { Area } from "../canvas/free-area.ts";
import { frameOf } from "./group-frame.ts";

/** How far below a card other cards are searched for: a preview is never longer. */
export const maxRoom = 232;
const cellSize = 256;

interface Known {
  node: Node;
  box: Area;
  cells: readonly number[];
}

export type Rooms = ReturnType<typeof createRooms>;

/**
 * How much space there is below a card before the next one begins. Cards are indexed in a grid, so that a lookup reads
 * few of them, and a change of the graph updates only those that moved.
 */
export function createRooms(store: Pick<GraphStore, "view">) {
  const known = new Map<number, Known>();
  const grid = new Map<number, Set<number>>();
  let seen: unknown;
  let hidden: ReadonlySet<number> = new Set();
  /** The cards of collapsed groups: few enough to go through all of them. */
  let folded: Area[] = [];

  function forget(id: number): void {
    for (const cell of known.get(id)?.cells ?? []) grid.get(cell)?.delete(id);
    known.delete(id);
  }

  function place(id: number, node: Node): void {
    forget(id);
    const box = boxOf(node);
    const cells = cellsOf(box);
    known.set(id, { node, box, cells });
    for (const cell of cells) {
      const ids = grid.get(cell);
      if (ids) ids.add(id);
      else grid.set(cell, new Set([id]));
    }
  }

  function updateIndex(): void {
    const { resolved } = store.view();
    if (resolved === seen) return;
    seen = resolved;
    let count = 0;
    for (const key in resolved.nodes) {
      const node = resolved.nodes[key];
      if (!node) continue;
      count += 1;
      const before = known.get(node.metadata_id)?.node;
      if (before === node) continue;
      if (before?.position === node.position && before.api === node.api && before.tags === node.tags) continue;
      place(node.metadata_id, node);
    }
    if (count < known.size) for (const id of [...known.keys()]) if (!resolved.nodes[id]) forget(id);
    const collapsed = Object.values(resolved.content.groups).filter((group) => group.collapsed);
    hidden = new Set(collapsed.flatMap(({ metadata_ids }) => metadata_ids));
    folded = collapsed.flatMap((group) => {
      const members = group.metadata_ids.flatMap((id) => resolved.nodes[id] ?? []).map(boxOf);
      return members.length > 0 ? [frameOf(group, members)] : [];
    });
  }

  return {
    /** From the lower edge of a card to the upper edge of the next one, at most `maxRoom`. */
    below(id: number): number {
      updateIndex();
      const card = known.get(id)?.box;
      if (!card) return maxRoom;
      const space: Area = { x: card.x, y: card.y + card.height, width: card.width, height: maxRoom };
      const near = cellsOf(space).flatMap((cell) => [...(grid.get(cell) ?? [])]);
      const boxes = near.flatMap((other) => (other === id || hidden.has(other) ? [] : (known.get(other)?.box ?? [])));
      return [...boxes, ...folded].reduce((least, box) => Math.min(least, roomTo(box, space)), maxRoom);
    },
  };
}

function roomTo(box: Area, space: Area): number {
  const isBeside = box.x >= space.x + space.width || box.x + box.width <= space.x;
  const isAbove = box.y + box.height <= space.y;
  return isBeside || isAbove ? maxRoom : Math.max(0, box.y - space.y);
}

function cellsOf({ x, y, width, height }: Area): number[] {
  const cells: number[] = [];
  for (let column = Math.floor(x / cellSize); column * cellSize < x + width; column += 1)
    for (let row = Math.floor(y / cellSize); row * cellSize < y + height; row += 1)
      // Unique, because coordinates are less than a hundred thousand cells.
      cells.push(column * 1e6 + row);
  return cells;
}

/** The parts of a preview below a card: gap, a row of chips, padding, and the smallest and largest preview. */
const below = { gap: 12, chips: 26, end: 12, minPreview: 48, maxPreview: 176 } as const;

export interface Hanging {
  /** All of it, chips only, or nothing until the person points at the card. */
  show: "all" | "chips" | "none";
  /** The height that the preview may have without covering anything. */
  preview: number;
  isLimited: boolean;
}

export function hangingIn(room: number): Hanging {
  const { gap, chips, end, minPreview, maxPreview } = below;
  const preview = Math.min(maxPreview, room - gap - chips - end);
  if (preview >= minPreview) return { show: "all", preview, isLimited: preview < maxPreview };
  return { show: room >= gap + chips ? "chips" : "none", preview: maxPreview, isLimited: false };
}

/** How far the preview below a card reaches. */
export function reachOf(room: number, has: { run: boolean; output: boolean }): number {
  const { show, preview } = hangingIn(room);
  if (show === "none" || !(has.run || has.output)) return 0;
  return below.gap + below.chips + (show === "all" && has.output ? preview : 0);
}
