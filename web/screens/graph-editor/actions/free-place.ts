import type { Position } from "@miranda/contract/schemas/nodes.ts";

import type { Area } from "../canvas/free-area.ts";
import { grid } from "./arrange.ts";

/** The space between a moved node and everything else. */
export const gap = 16;

export function overlap(one: Area, other: Area, space: number): boolean {
  return (
    one.x < other.x + other.width + space &&
    other.x < one.x + one.width + space &&
    one.y < other.y + other.height + space &&
    other.y < one.y + one.height + space
  );
}

/** The four places beside an obstacle: left, right, above and below. On the grid, where people put nodes. */
export function waysOut({ x, y, width, height }: Area, obstacle: Area): Position[] {
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
export function nearestFree(block: Area, obstacles: readonly Area[], most: number): Position & { tries: number } {
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
