import type { Node, Position } from "@miranda/contract/schemas/nodes.ts";

import type { ResolvedContent } from "@miranda/contract/graph/resolution/resolve-content.ts";
import { markLooks, type PastView } from "../canvas/past-view.ts";
import { nodeColour } from "../cards/kind-colours.ts";
import { nodeLayout } from "@miranda/contract/graph/layout/card-layout.ts";

export interface Transform {
  x: number;
  y: number;
  zoom: number;
}

/** A whole graph as flat numbers, grouped by colour, so that thousands of boxes need few drawing calls. */
export interface FarPicture {
  /** By colour: x, y, width and height of each node in a row. */
  boxes: ReadonlyMap<string, Float64Array>;
  /** x1, y1, x2, y2 of each edge. */
  lines: Float64Array;
}

export function pictureOf(
  resolved: Pick<ResolvedContent, "nodes" | "edges">,
  drag: ReadonlyMap<number, Position> | null = null,
  past: PastView | null = null,
): FarPicture {
  const byColour = new Map<string, number[]>();
  for (const key in resolved.nodes) {
    const node = resolved.nodes[key];
    if (!node) continue;
    const { x, y } = drag?.get(node.metadata_id) ?? node.position;
    const { width, height } = nodeLayout(node);
    const colour = past ? pastColour(past, node) : nodeColour(node);
    const list = byColour.get(colour);
    if (list) list.push(x, y, width, height);
    else byColour.set(colour, [x, y, width, height]);
  }
  const lines = new Float64Array(resolved.edges.length * 4);
  let at = 0;
  for (const edge of resolved.edges) {
    if (edge.implied === true) continue;
    const from = resolved.nodes[edge.source_wob_key];
    const to = resolved.nodes[edge.destination_wob_key];
    if (!from || !to) continue;
    const start = drag?.get(from.metadata_id) ?? from.position;
    const end = drag?.get(to.metadata_id) ?? to.position;
    lines[at] = start.x + nodeLayout(from).width;
    lines[at + 1] = start.y + 40;
    lines[at + 2] = end.x;
    lines[at + 3] = end.y + 40;
    at += 4;
  }
  return {
    boxes: new Map(Array.from(byColour, ([colour, list]) => [colour, Float64Array.from(list)])),
    lines: lines.subarray(0, at),
  };
}

/** Where differences or a run are shown, what is not part of them is pale. */
function pastColour({ nodes, runs }: PastView, node: Node): string {
  if (runs) return runs.get(node.metadata_id)?.colour ?? "var(--line)";
  if (nodes.size === 0) return nodeColour(node);
  const mark = nodes.get(node.metadata_id);
  return mark ? markLooks[mark].colour : "var(--line)";
}

export function boundsOfPicture({ boxes }: FarPicture): { x: number; y: number; width: number; height: number } {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const list of boxes.values()) {
    for (let at = 0; at < list.length; at += 4) {
      left = Math.min(left, list[at]!);
      top = Math.min(top, list[at + 1]!);
      right = Math.max(right, list[at]! + list[at + 2]!);
      bottom = Math.max(bottom, list[at + 1]! + list[at + 3]!);
    }
  }
  return left > right
    ? { x: 0, y: 0, width: 0, height: 0 }
    : { x: left, y: top, width: right - left, height: bottom - top };
}

export interface Surface {
  width: number;
  height: number;
  /** Device pixels per CSS pixel. */
  ratio: number;
}

/** A part of the surface. */
export interface Strip {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A shorter line is only the gap between two boxes. Thousands of them would take most of the time. */
const shortestLine = 3;

/** Draws what is in the strip. Everything else stays as it is. */
export function drawFar(
  context: CanvasRenderingContext2D,
  { boxes, lines }: FarPicture,
  { x, y, zoom }: Transform,
  { left, top, right, bottom }: Strip,
  colourOf: (name: string) => string,
): void {
  context.clearRect(left, top, right - left, bottom - top);
  context.lineWidth = 1;
  context.strokeStyle = colourOf("var(--line-strong)");
  context.beginPath();
  for (let at = 0; at < lines.length; at += 4) {
    const x1 = lines[at]! * zoom + x;
    const y1 = lines[at + 1]! * zoom + y;
    const x2 = lines[at + 2]! * zoom + x;
    const y2 = lines[at + 3]! * zoom + y;
    if (Math.abs(x2 - x1) < shortestLine && Math.abs(y2 - y1) < shortestLine) continue;
    const isOutside =
      (x1 < left && x2 < left) || (x1 > right && x2 > right) || (y1 < top && y2 < top) || (y1 > bottom && y2 > bottom);
    if (isOutside) continue;
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
  }
  context.stroke();
  for (const [colour, list] of boxes) {
    context.fillStyle = colourOf(colour);
    for (let at = 0; at < list.length; at += 4) {
      const boxLeft = list[at]! * zoom + x;
      const boxTop = list[at + 1]! * zoom + y;
      const wide = Math.max(list[at + 2]! * zoom, 1.5);
      const tall = Math.max(list[at + 3]! * zoom, 1.5);
      if (boxLeft > right || boxTop > bottom || boxLeft + wide < left || boxTop + tall < top) continue;
      context.fillRect(boxLeft, boxTop, wide, tall);
    }
  }
}

export function outlineFar(
  context: CanvasRenderingContext2D,
  { boxes }: FarPicture,
  { x, y, zoom }: Transform,
  colour: string,
): void {
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.beginPath();
  for (const list of boxes.values()) {
    for (let at = 0; at < list.length; at += 4)
      context.rect(list[at]! * zoom + x, list[at + 1]! * zoom + y, list[at + 2]! * zoom, list[at + 3]! * zoom);
  }
  context.stroke();
}
