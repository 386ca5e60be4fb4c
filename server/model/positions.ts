import { node as limits } from "@miranda/contract/limits.ts";
import type { Position } from "@miranda/contract/schemas/nodes.ts";

/** How far to move everything so that its upper left corner is at `position`. */
export function shiftTo(nodes: readonly { position: Position }[], position: Position | undefined): Position {
  if (!position || nodes.length === 0) return { x: 0, y: 0 };
  const left = nodes.reduce((least, node) => Math.min(least, node.position.x), Number.POSITIVE_INFINITY);
  const top = nodes.reduce((least, node) => Math.min(least, node.position.y), Number.POSITIVE_INFINITY);
  return { x: position.x - left, y: position.y - top };
}

export function within(coordinate: number): number {
  return Math.max(-limits.positionMax, Math.min(limits.positionMax, coordinate));
}
