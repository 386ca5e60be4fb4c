import { layeredLayout, nodeBox, rowStep } from "@miranda/contract/graph/layout/layered-layout.ts";
import { clearWidth, cornerOf, scaleToNodeSize } from "./scaling.ts";
import type { Position } from "../types.ts";

/** Where the file places a node. */
export interface Spot {
  /** Already in our coordinates: kept exactly. */
  exact?: Position;
  centre?: Position;
  /** Top left corner of a group's frame. Its node goes there if there is room between the members. */
  frame?: Position;
}

const searchRings = 12;
// A little less than the farthest position that a node may have.
const farthest = 9e6;

/** A position for every node without overlaps: the file's own where it has them, layers beside them otherwise. */
export function placeNodes(spots: readonly Spot[], edges: readonly (readonly [number, number])[]): Position[] {
  const placed = new Map<number, Position>();
  placeExact(spots, placed);
  placeDrawn(spots, placed);
  placeRest(spots.length, edges, placed);
  foldWhatIsFar(spots, placed);
  return spots.map((_, index) => placed.get(index) ?? { x: 0, y: 0 });
}

function placeExact(spots: readonly Spot[], placed: Map<number, Position>): void {
  for (const [index, { exact }] of spots.entries()) if (exact) placed.set(index, exact);
}

function placeDrawn(spots: readonly Spot[], placed: Map<number, Position>): void {
  const drawn = spots.flatMap(({ exact, centre, frame }, index) => (!exact && centre && !frame ? [index] : []));
  if (drawn.length === 0) return;
  const scaled = scaleToNodeSize(drawn.map((index) => spots[index]!.centre!));
  if (!scaled) return;
  const shift = besidePlaced(placed, scaled.positions);
  for (const [at, index] of drawn.entries()) placed.set(index, rounded(add(scaled.positions[at]!, shift)));
  const free = createFreeSpace(placed.values());
  for (const [index, { exact, frame }] of spots.entries()) {
    if (exact || !frame) continue;
    const relative = { x: frame.x - scaled.origin.x, y: frame.y - scaled.origin.y };
    const found = free.take(add(cornerOf(relative, scaled.scale), shift));
    if (found) placed.set(index, found);
  }
}

function placeRest(count: number, edges: readonly (readonly [number, number])[], placed: Map<number, Position>): void {
  const rest = Array.from({ length: count }, (_, index) => index).filter((index) => !placed.has(index));
  if (rest.length === 0) return;
  const local = new Map(rest.map((index, at) => [index, at]));
  const inner = edges.flatMap(([from, to]) => {
    const [a, b] = [local.get(from), local.get(to)];
    return a === undefined || b === undefined ? [] : [[a, b] as const];
  });
  const positions = layeredLayout(rest.length, inner);
  const shift = besidePlaced(placed, positions);
  for (const [at, index] of rest.entries()) placed.set(index, rounded(add(positions[at]!, shift)));
}

/** A line of fifty thousand nodes is longer than the canvas: it is folded into a block, in order. */
function foldWhatIsFar(spots: readonly Spot[], placed: Map<number, Position>): void {
  const isFar = placed.values().some(({ x, y }) => Math.abs(x) > farthest || Math.abs(y) > farthest);
  if (!isFar) return;
  const order = [...placed.keys()].filter((index) => !spots[index]?.exact);
  order.sort((a, b) => placed.get(a)!.x - placed.get(b)!.x || placed.get(a)!.y - placed.get(b)!.y);
  const columns = Math.ceil(Math.sqrt(order.length));
  const block = order.map((_, at) => ({ x: (at % columns) * clearWidth, y: Math.floor(at / columns) * rowStep }));
  for (const index of order) placed.delete(index);
  const shift = besidePlaced(placed, block);
  for (const [at, index] of order.entries()) placed.set(index, rounded(add(block[at]!, shift)));
}

function besidePlaced(placed: ReadonlyMap<number, Position>, block: readonly Position[]): Position {
  if (placed.size === 0) return { x: 0, y: 0 };
  let [right, top, left, blockTop] = [-Infinity, Infinity, Infinity, Infinity];
  for (const { x, y } of placed.values()) {
    right = Math.max(right, x);
    top = Math.min(top, y);
  }
  for (const { x, y } of block) {
    left = Math.min(left, x);
    blockTop = Math.min(blockTop, y);
  }
  return { x: right + nodeBox.width + 3 * nodeBox.gap - left, y: top - blockTop };
}

function createFreeSpace(taken: Iterable<Position>) {
  const cells = new Map<string, Position[]>();
  const cellOf = ({ x, y }: Position) => [Math.floor(x / clearWidth), Math.floor(y / rowStep)] as const;
  const occupy = (position: Position) => {
    const cell = cellOf(position).join(" ");
    const inside = cells.get(cell);
    if (inside) inside.push(position);
    else cells.set(cell, [position]);
  };
  const isFree = (position: Position) => {
    const [column, row] = cellOf(position);
    for (let dx = -1; dx <= 1; dx++) {
      for (let dy = -1; dy <= 1; dy++) {
        const near = cells.get(`${column + dx} ${row + dy}`) ?? [];
        if (near.some(({ x, y }) => Math.abs(x - position.x) < clearWidth && Math.abs(y - position.y) < rowStep))
          return false;
      }
    }
    return true;
  };
  for (const position of taken) occupy(position);
  return {
    /** The nearest free position. Undefined when everything around it is taken. */
    take(wanted: Position): Position | undefined {
      for (let ring = 0; ring <= searchRings; ring++) {
        for (const [column, row] of ringCells(ring)) {
          const place = rounded(add(wanted, { x: (column * clearWidth) / 2, y: (row * rowStep) / 2 }));
          if (!isFree(place)) continue;
          occupy(place);
          return place;
        }
      }
      return undefined;
    },
  };
}

/** Above first: a group's node reads as the heading of its members. */
function ringCells(ring: number): [number, number][] {
  if (ring === 0) return [[0, 0]];
  const cells: [number, number][] = [];
  for (let column = -ring; column <= ring; column++) cells.push([column, -ring]);
  for (let row = -ring + 1; row < ring; row++) cells.push([-ring, row], [ring, row]);
  for (let column = -ring; column <= ring; column++) cells.push([column, ring]);
  return cells;
}

function add(a: Position, b: Position): Position {
  return { x: a.x + b.x, y: a.y + b.y };
}

function rounded({ x, y }: Position): Position {
  return { x: Math.round(x), y: Math.round(y) };
}
