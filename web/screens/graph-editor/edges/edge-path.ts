import type { Position } from "@miranda/contract/schemas/nodes.ts";

import type { Side } from "@miranda/contract/graph/layout/card-layout.ts";

export interface Anchor extends Position {
  side: Side;
}

const outward = { left: [-1, 0], right: [1, 0], bottom: [0, 1], top: [0, -1] } as const;
const minPull = 28;
const cornerRadius = 10;

export interface EdgePath {
  path: string;
  /** Where the label goes. */
  middle: Position;
}

/** A curve from one port to another, or through the edge's bends. */
export function edgePath(from: Anchor, to: Anchor, bends: readonly Position[]): EdgePath {
  return bends.length === 0 ? curve(from, to) : polyline([from, ...bends, to]);
}

function curve(from: Anchor, to: Anchor): EdgePath {
  const distance = Math.hypot(to.x - from.x, to.y - from.y);
  const isBack = from.side === "right" && to.x < from.x;
  const pull = Math.max(minPull, isBack ? Math.min(distance * 0.5, 260) : distance * 0.4);
  const a = pulled(from, pull);
  const b = pulled(to, pull);
  return {
    path: `M${from.x},${from.y} C${a.x},${a.y} ${b.x},${b.y} ${to.x},${to.y}`,
    middle: { x: (from.x + 3 * a.x + 3 * b.x + to.x) / 8, y: (from.y + 3 * a.y + 3 * b.y + to.y) / 8 },
  };
}

function pulled({ x, y, side }: Anchor, by: number): Position {
  const [dx, dy] = outward[side];
  return { x: x + dx * by, y: y + dy * by };
}

function polyline(points: readonly Position[]): EdgePath {
  const parts = points.map((point, at) => {
    const before = points[at - 1];
    const after = points[at + 1];
    if (!before) return `M${point.x},${point.y}`;
    if (!after) return `L${point.x},${point.y}`;
    const [start, end] = [towards(point, before), towards(point, after)];
    return `L${start.x},${start.y} Q${point.x},${point.y} ${end.x},${end.y}`;
  });
  return { path: parts.join(" "), middle: points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 } };
}

function towards(from: Position, to: Position): Position {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const share = length === 0 ? 0 : Math.min(cornerRadius, length / 2) / length;
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

/** The bends with one more, on the nearest segment. `from` and `to` are the ends of the edge. */
export function withBend(from: Position, bends: readonly Position[], to: Position, bend: Position): Position[] {
  const points = [from, ...bends, to];
  let nearest = { at: 0, distance: Number.POSITIVE_INFINITY };
  for (let at = 0; at + 1 < points.length; at += 1) {
    const distance = distanceTo(bend, points[at] ?? from, points[at + 1] ?? to);
    if (distance < nearest.distance) nearest = { at, distance };
  }
  return bends.toSpliced(nearest.at, 0, bend);
}

function distanceTo(point: Position, from: Position, to: Position): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : ((point.x - from.x) * dx + (point.y - from.y) * dy) / length;
  const along = Math.min(1, Math.max(0, share));
  return Math.hypot(point.x - from.x - dx * along, point.y - from.y - dy * along);
}
