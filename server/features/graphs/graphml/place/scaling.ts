import { nodeBox, rowStep } from "@miranda/contract/graph/layout/layered-layout.ts";
import { spread } from "@miranda/contract/graph/layout/spread.ts";
import type { Position } from "../types.ts";

export const clearWidth = nodeBox.width + nodeBox.gap;
// The most room relative to the nodes' own size. Beyond it nodes are moved instead of scaling the drawing.
const mostRoom = 8;
const margin = 1.0001;

export interface Scaled {
  scale: number;
  /** The point of the file that became the origin. */
  origin: Position;
  /** Top left corners, in the order given. */
  positions: Position[];
}

/** The file's drawing, scaled so that our larger nodes do not touch. Undefined if all nodes are in one place. */
export function scaleToNodeSize(centres: readonly Position[]): Scaled | undefined {
  const { origin, width, height } = extent(centres);
  if (centres.length > 1 && width === 0 && height === 0) return undefined;
  const moved = centres.map(({ x, y }) => ({ x: x - origin.x, y: y - origin.y }));
  const largest = largestScale(moved.length, width, height);
  if (overlaps(moved, largest)) return { scale: largest, origin, positions: inRows(moved, largest) };
  const scale = Math.max(smallestScale(moved, largest), Math.min(1, largest));
  return { scale, origin, positions: moved.map((centre) => cornerOf(centre, scale)) };
}

export function cornerOf(centre: Position, scale: number): Position {
  return { x: centre.x * scale - nodeBox.width / 2, y: centre.y * scale - nodeBox.height / 2 };
}

function extent(points: readonly Position[]): { origin: Position; width: number; height: number } {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y } of points) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return { origin: { x: left, y: top }, width: right - left, height: bottom - top };
}

function largestScale(count: number, width: number, height: number): number {
  const room = mostRoom * count;
  const limits = [Math.sqrt((room * clearWidth * rowStep) / (width * height))];
  if (width > 0) limits.push((room * clearWidth) / width);
  if (height > 0) limits.push((room * rowStep) / height);
  const largest = Math.min(...limits.filter(Number.isFinite));
  return Number.isFinite(largest) && largest > 0 ? largest : 1;
}

function smallestScale(points: readonly Position[], clear: number): number {
  let high = clear;
  for (let halvings = 0; halvings < 60 && !overlaps(points, high / 2); halvings++) high /= 2;
  let low = high / 2;
  for (let step = 0; step < 8; step++) {
    const middle = (low + high) / 2;
    if (overlaps(points, middle)) low = middle;
    else high = middle;
  }
  return high;
}

/** Two nodes in one cell are too close, so a cell holds one and only its neighbours need checking. */
function overlaps(points: readonly Position[], scale: number): boolean {
  const cells = new Map<number, Position>();
  const [width, height] = [clearWidth * margin, rowStep * margin];
  const columns = 2 ** 26;
  for (const point of points) {
    const [x, y] = [point.x * scale, point.y * scale];
    const cell = Math.floor(y / height) * columns + Math.floor(x / width);
    for (let row = -1; row <= 1; row++) {
      for (let column = -1; column <= 1; column++) {
        const other = cells.get(cell + row * columns + column);
        if (other && Math.abs(other.x - x) < width && Math.abs(other.y - y) < height) return true;
      }
    }
    cells.set(cell, { x, y });
  }
  return false;
}

/** For drawings too dense to scale: rows by vertical position, each ordered from left to right. */
function inRows(centres: readonly Position[], scale: number): Position[] {
  const rows = new Map<number, number[]>();
  for (const [index, centre] of centres.entries()) {
    const row = Math.round((centre.y * scale) / rowStep);
    const members = rows.get(row);
    if (members) members.push(index);
    else rows.set(row, [index]);
  }
  const positions: Position[] = Array.from(centres, () => ({ x: 0, y: 0 }));
  for (const [row, members] of rows) {
    members.sort((a, b) => centres[a]!.x - centres[b]!.x);
    const wanted = members.map((index) => centres[index]!.x * scale - nodeBox.width / 2);
    for (const [at, x] of spread(wanted, clearWidth).entries()) {
      positions[members[at]!] = { x, y: row * rowStep - nodeBox.height / 2 };
    }
  }
  return positions;
}
