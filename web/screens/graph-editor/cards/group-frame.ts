import type { NodeGroup } from "@miranda/contract/schemas/nodes.ts";

import { boundsOf, type Box } from "../actions/arrange.ts";
import { portsHeight } from "./group-ports.ts";

export const collapsedSize = { width: 232, height: 68 } as const;
const padding = { side: 20, top: 44, bottom: 20 } as const;

/** The position and size of a group's frame, or of its card when it is collapsed. */
export function frameOf(
  { collapsed }: Pick<NodeGroup, "collapsed">,
  members: readonly Box[],
  rows = 0,
): Omit<Box, "id"> {
  const { x, y, width, height } = boundsOf(members);
  if (collapsed) return { x, y, ...collapsedSize, height: Math.max(collapsedSize.height, portsHeight(rows)) };
  const { side, top, bottom } = padding;
  return { x: x - side, y: y - top, width: width + 2 * side, height: height + top + bottom };
}

type Frame = Omit<Box, "id">;

/** How much space is cut out around a node that is not in the group. */
const gap = 10;

/**
 * The holes of a frame: the space around nodes that lie in it and are not in the group, measured from the frame's upper
 * left corner. Holes that overlap become one.
 */
export function holesIn(frame: Frame, strangers: Iterable<Frame>): Frame[] {
  let holes: Frame[] = [];
  for (const box of strangers) {
    const hole = within(frame, box);
    if (hole) holes = withHole(holes, hole);
  }
  return holes;
}

function withHole(holes: readonly Frame[], hole: Frame): Frame[] {
  const touching = holes.filter((other) => overlap(other, hole));
  if (touching.length === 0) return [...holes, hole];
  const others = holes.filter((other) => !touching.includes(other));
  return withHole(others, touching.reduce(around, hole));
}

function within(frame: Frame, box: Frame): Frame | undefined {
  const left = Math.max(0, box.x - gap - frame.x);
  const top = Math.max(0, box.y - gap - frame.y);
  const right = Math.min(frame.width, box.x + box.width + gap - frame.x);
  const bottom = Math.min(frame.height, box.y + box.height + gap - frame.y);
  return left < right && top < bottom ? { x: left, y: top, width: right - left, height: bottom - top } : undefined;
}

function overlap(one: Frame, other: Frame): boolean {
  const isBeside = one.x + one.width < other.x || other.x + other.width < one.x;
  return !isBeside && one.y <= other.y + other.height && other.y <= one.y + one.height;
}

function around(one: Frame, other: Frame): Frame {
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)];
  const right = Math.max(one.x + one.width, other.x + other.width);
  const bottom = Math.max(one.y + one.height, other.y + other.height);
  return { x, y, width: right - x, height: bottom - y };
}

/** The shape of a frame with holes, for CSS. Undefined without holes. */
export function holedShape({ width, height }: Pick<Frame, "width" | "height">, holes: readonly Frame[]) {
  if (holes.length === 0) return undefined;
  const inner = holes.map((hole) => `M${hole.x},${hole.y}h${hole.width}v${hole.height}h${-hole.width}Z`);
  return `path(evenodd, "M0,0H${width}V${height}H0Z${inner.join("")}")`;
}
