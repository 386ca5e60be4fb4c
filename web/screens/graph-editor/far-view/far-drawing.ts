import type { Node, Position } from "@miranda/contract/schemas/nodes.ts";

import type { ResolvedContent } from "@miranda/contract/graph/resolution/resolve-content.ts";
import { boundsOf } from "../actions/arrange.ts";
import type { Area } from "../canvas/free-area.ts";
import { markLooks, type PastView } from "../canvas/past-view.ts";
import type { GroupCard, GroupCards } from "../cards/collapsed-groups.ts";
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

const noCards: GroupCards = new Map();

interface PictureOptions {
  drag?: ReadonlyMap<number, Position> | null;
  past?: PastView | null;
  /** The cards of collapsed groups. Each is drawn instead of its members. */
  cards?: GroupCards;
}

export function pictureOf(
  { nodes, edges }: Pick<ResolvedContent, "nodes" | "edges">,
  { drag = null, past = null, cards = noCards }: PictureOptions = {},
): FarPicture {
  const byColour = new Map<string, number[]>();
  const drawn = new Set<GroupCard>();
  function add(colour: string, { x, y, width, height }: Area): void {
    const list = byColour.get(colour);
    if (list) list.push(x, y, width, height);
    else byColour.set(colour, [x, y, width, height]);
  }
  const areas = new Map<GroupCard, Area>();
  function areaOf(node: Node): Area {
    const card = cards.get(node.metadata_id);
    if (!card) return nodeArea(node, drag);
    const area = areas.get(card) ?? cardArea(card, nodes, drag);
    areas.set(card, area);
    return area;
  }
  for (const key in nodes) {
    const node = nodes[key];
    if (!node) continue;
    const card = cards.get(node.metadata_id);
    if (!card) add(past ? pastColour(past, node) : nodeColour(node), areaOf(node));
    else if (!drawn.has(card)) add(cardColour(card, nodes, past), areaOf(node));
    if (card) drawn.add(card);
  }
  const lines = new Float64Array(edges.length * 4);
  let at = 0;
  for (const edge of edges) {
    if (edge.implied === true) continue;
    const from = nodes[edge.source_wob_key];
    const to = nodes[edge.destination_wob_key];
    if (!from || !to) continue;
    const card = cards.get(from.metadata_id);
    if (card && card === cards.get(to.metadata_id)) continue;
    const [start, end] = [areaOf(from), areaOf(to)];
    lines[at] = start.x + start.width;
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

function nodeArea(node: Node, drag: PictureOptions["drag"]): Area {
  const { x, y } = drag?.get(node.metadata_id) ?? node.position;
  const { width, height } = nodeLayout(node);
  return { x, y, width, height };
}

/** The card begins where its leftmost and its topmost member begin. */
function cardArea({ area, ids }: GroupCard, nodes: ResolvedContent["nodes"], drag: PictureOptions["drag"]): Area {
  if (!drag || !ids.some((id) => drag.has(id))) return area;
  const { x, y } = boundsOf(ids.flatMap((id) => (nodes[id] ? [nodeArea(nodes[id], drag)] : [])));
  return { ...area, x, y };
}

const paleColour = "var(--line)";

/** Where differences or a run are shown, what is not part of them is pale. */
function pastColour({ nodes, runs }: PastView, node: Node): string {
  if (runs) return runs.get(node.metadata_id)?.colour ?? paleColour;
  if (nodes.size === 0) return nodeColour(node);
  const mark = nodes.get(node.metadata_id);
  return mark ? markLooks[mark].colour : paleColour;
}

/** A card is pale when all of its members are. */
function cardColour({ group, ids }: GroupCard, nodes: ResolvedContent["nodes"], past: PastView | null): string {
  const own = group.colour ?? "var(--ink-faint)";
  if (!past || (!past.runs && past.nodes.size === 0)) return own;
  const colours = ids.flatMap((id) => (nodes[id] ? [pastColour(past, nodes[id])] : []));
  return colours.find((colour) => colour !== paleColour) ?? paleColour;
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
