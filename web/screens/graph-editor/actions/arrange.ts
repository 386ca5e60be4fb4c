import type { Node, Position } from "@miranda/contract/schemas/nodes.ts";

import { nodeLayout } from "@miranda/contract/graph/layout/card-layout.ts";

export interface Box {
  id: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

export type Alignment = "left" | "centre" | "right" | "top" | "middle" | "bottom";
export type Axis = "horizontal" | "vertical";
type Positions = Record<string, Position>;

export function boxOf(node: Node): Box {
  const { width, height } = nodeLayout(node);
  return { id: node.metadata_id, ...node.position, width, height };
}

export function boundsOf(boxes: readonly Omit<Box, "id">[]): Omit<Box, "id"> {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const box of boxes) {
    left = Math.min(left, box.x);
    top = Math.min(top, box.y);
    right = Math.max(right, box.x + box.width);
    bottom = Math.max(bottom, box.y + box.height);
  }
  return boxes.length === 0
    ? { x: 0, y: 0, width: 0, height: 0 }
    : { x: left, y: top, width: right - left, height: bottom - top };
}

export function align(boxes: readonly Box[], to: Alignment): Positions {
  const all = boundsOf(boxes);
  const place = (box: Box): Position => {
    switch (to) {
      case "left":
        return { x: all.x, y: box.y };
      case "centre":
        return { x: all.x + (all.width - box.width) / 2, y: box.y };
      case "right":
        return { x: all.x + all.width - box.width, y: box.y };
      case "top":
        return { x: box.x, y: all.y };
      case "middle":
        return { x: box.x, y: all.y + (all.height - box.height) / 2 };
      case "bottom":
        return { x: box.x, y: all.y + all.height - box.height };
    }
  };
  return Object.fromEntries(boxes.map((box) => [box.id, place(box)]));
}

/** Makes all gaps equal; the outermost nodes stay in place. */
export function distribute(boxes: readonly Box[], axis: Axis): Positions {
  const isAcross = axis === "horizontal";
  const startOf = (box: Box) => (isAcross ? box.x : box.y);
  const sizeOf = (box: Box) => (isAcross ? box.width : box.height);
  const sorted = boxes.toSorted((one, other) => startOf(one) - startOf(other));
  const all = boundsOf(boxes);
  const taken = sorted.reduce((sum, box) => sum + sizeOf(box), 0);
  const gap = sorted.length < 2 ? 0 : ((isAcross ? all.width : all.height) - taken) / (sorted.length - 1);
  let at = isAcross ? all.x : all.y;
  return Object.fromEntries(
    sorted.map((box) => {
      const place = isAcross ? { x: at, y: box.y } : { x: box.x, y: at };
      at += sizeOf(box) + gap;
      return [box.id, place];
    }),
  );
}

const spotStep = 48;
const spotRings = 24;
const spotGap = 24;

/** The nearest place where a box of this size covers nothing; the wanted place when there is none. */
export function freeSpot(boxes: readonly Box[], { x, y, width, height }: Omit<Box, "id">): Position {
  const reach = spotRings * spotStep;
  const near = boxes.filter(
    (box) =>
      box.x < x + width + reach &&
      x - reach < box.x + box.width &&
      box.y < y + height + reach &&
      y - reach < box.y + box.height,
  );
  const isFree = (at: Position) =>
    !near.some(
      (box) =>
        box.x < at.x + width + spotGap &&
        at.x < box.x + box.width + spotGap &&
        box.y < at.y + height + spotGap &&
        at.y < box.y + box.height + spotGap,
    );
  for (let ring = 0; ring <= spotRings; ring += 1) {
    const free = ringOf(ring)
      .map((step) => ({ x: x + step.x * spotStep, y: y + step.y * spotStep }))
      .find(isFree);
    if (free) return free;
  }
  return { x, y };
}

/** Right and below come first: that is where people continue. */
function ringOf(ring: number): Position[] {
  const steps: Position[] = [];
  for (let dx = -ring; dx <= ring; dx += 1) {
    for (let dy = -ring; dy <= ring; dy += 1) {
      if (Math.max(Math.abs(dx), Math.abs(dy)) === ring) steps.push({ x: dx, y: dy });
    }
  }
  return steps.sort(
    (one, other) => Math.hypot(one.x, one.y) - one.x - one.y - (Math.hypot(other.x, other.y) - other.x - other.y),
  );
}

export const grid = 8;

export function snap(value: number): number {
  return Math.round(value / grid) * grid;
}

export function snapped({ x, y }: Position): Position {
  return { x: snap(x), y: snap(y) };
}
