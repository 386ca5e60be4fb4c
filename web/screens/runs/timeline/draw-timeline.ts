import { nodeLooks } from "../../../panels/runs/run-looks.ts";
import type { LaneBar } from "./lanes.ts";
import { momentWords, ticksOf, tickStep, type TimeRange } from "./time-range.ts";
import type { TimelineNode } from "./timeline-nodes.ts";

export type ColourOf = (name: string) => string;

export const rowHeight = 30;
const barHeight = 14;
export const axisHeight = 26;
const laneGap = 2;
/** The least distance of two marks on the axis, in pixels. */
const tickDistance = 68;
/** A shorter bar could not be seen. */
const thinnest = 2;

export interface Area {
  width: number;
  height: number;
}

const xOf = (moment: number, { from, to }: TimeRange, width: number) => ((moment - from) / (to - from)) * width;

export const momentAt = (x: number, { from, to }: TimeRange, width: number) =>
  from + (x / Math.max(1, width)) * (to - from);

/** Sizes a canvas for the screen and clears it. Undefined when it has no size yet. */
export function prepare(canvas: HTMLCanvasElement, { width, height }: Area): CanvasRenderingContext2D | undefined {
  const context = canvas.getContext("2d");
  if (!context || width < 1 || height < 1) return undefined;
  const ratio = Math.min(devicePixelRatio, 2);
  const [wide, tall] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== tall) {
    canvas.width = wide;
    canvas.height = tall;
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

export function drawAxis(context: CanvasRenderingContext2D, range: TimeRange, area: Area, colourOf: ColourOf): void {
  const most = Math.floor(area.width / tickDistance);
  const step = tickStep(range, most);
  context.font = `500 11px ${getComputedStyle(context.canvas).fontFamily}`;
  context.textBaseline = "middle";
  for (const tick of ticksOf(range, most)) {
    const x = Math.round(xOf(tick, range, area.width)) + 0.5;
    const words = momentWords(tick, step);
    if (x + 6 + context.measureText(words).width > area.width) continue;
    context.fillStyle = colourOf("var(--line)");
    context.fillRect(x - 0.5, area.height - 6, 1, 6);
    context.fillStyle = colourOf("var(--ink-muted)");
    context.fillText(words, x + 4, area.height / 2);
  }
}

export interface RowsDrawing {
  nodes: readonly TimelineNode[];
  range: TimeRange;
  /** How far the rows are scrolled. */
  top: number;
  area: Area;
}

/** Draws the bars of the rows in view: a thin line while a node waited, a bar while it ran. */
export function drawRows(context: CanvasRenderingContext2D, drawing: RowsDrawing, colourOf: ColourOf): void {
  const { nodes, range, top, area } = drawing;
  context.fillStyle = colourOf("var(--line)");
  for (const tick of ticksOf(range, Math.floor(area.width / tickDistance)))
    context.fillRect(Math.round(xOf(tick, range, area.width)), 0, 1, area.height);
  const first = Math.max(0, Math.floor(top / rowHeight));
  const last = Math.min(nodes.length, Math.ceil((top + area.height) / rowHeight));
  for (let row = first; row < last; row += 1) {
    const node = nodes[row];
    if (node) drawNode(context, node, row * rowHeight - top + rowHeight / 2, drawing, colourOf);
  }
}

function drawNode(
  context: CanvasRenderingContext2D,
  { spans, state }: TimelineNode,
  middle: number,
  { range, area: { width } }: RowsDrawing,
  colourOf: ColourOf,
): void {
  const look = nodeLooks[state];
  const [first, last] = [spans[0], spans.at(-1)];
  if (first && last && (last.ended < range.from || first.ready > range.to)) {
    // Its time is before or after what is shown.
    const isBefore = last.ended < range.from;
    return drawArrow(context, isBefore ? 8 : width - 8, middle, isBefore ? -4 : 4, colourOf(look.colour));
  }
  for (const { ready, began, ended, isOpen } of spans) {
    if (ended < range.from || ready > range.to) continue;
    const start = xOf(began, range, width);
    const waits = xOf(ready, range, width);
    if (start - waits >= 1) {
      context.fillStyle = colourOf("var(--line-strong)");
      context.fillRect(waits, middle - 1, start - waits, 2);
      context.fillRect(waits, middle - 4, 1, 8);
    }
    const wide = Math.max(thinnest, xOf(ended, range, width) - start);
    context.fillStyle = colourOf(look.colour);
    roundBar(context, start, middle - barHeight / 2, wide, barHeight);
    if (isOpen) {
      // What has not ended has an open end.
      context.fillStyle = colourOf("var(--surface)");
      for (let at = 0; at < 3; at += 1)
        context.fillRect(start + wide - 3 - at * 5, middle - barHeight / 2, 2, barHeight);
    }
    if (state === "error") drawCross(context, start + wide + 9, middle, colourOf("var(--danger-text)"));
  }
}

function roundBar(context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number): void {
  if (width < 6) return context.fillRect(x, y, width, height);
  context.beginPath();
  context.roundRect(x, y, width, height, 3);
  context.fill();
}

function drawArrow(context: CanvasRenderingContext2D, x: number, y: number, reach: number, colour: string): void {
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(x + reach, y);
  context.lineTo(x - reach, y - 5);
  context.lineTo(x - reach, y + 5);
  context.fill();
}

/** Failed nodes have a sign of their own: red and green look the same to some people. */
function drawCross(context: CanvasRenderingContext2D, x: number, y: number, colour: string): void {
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(x - 3.5, y - 3.5);
  context.lineTo(x + 3.5, y + 3.5);
  context.moveTo(x + 3.5, y - 3.5);
  context.lineTo(x - 3.5, y + 3.5);
  context.stroke();
}

export interface LanesDrawing {
  lanes: readonly (readonly LaneBar[])[];
  whole: TimeRange;
  /** What the rows below show. */
  range: TimeRange;
  chosen: number | undefined;
  area: Area;
}

export const laneHeightIn = (lanes: number, height: number) => height / Math.max(1, lanes);

/** Draws the whole run: what ran at the same time lies above each other. */
export function drawLanes(context: CanvasRenderingContext2D, drawing: LanesDrawing, colourOf: ColourOf): void {
  const { lanes, whole, range, chosen, area } = drawing;
  const tall = laneHeightIn(lanes.length, area.height);
  const gap = tall > 6 ? laneGap : 0;
  lanes.forEach((bars, lane) => {
    const y = lane * tall + gap / 2;
    let drawnTo = -1;
    let drawnAs = "";
    for (const { node, state, began, ended } of bars) {
      const x = xOf(began, whole, area.width);
      const wide = Math.max(1, xOf(ended, whole, area.width) - x);
      const colour = node === chosen ? "var(--ink)" : nodeLooks[state].colour;
      // Thousands of short bars fall on the same pixel.
      if (x + wide <= drawnTo && colour === drawnAs) continue;
      drawnTo = x + wide;
      drawnAs = colour;
      context.fillStyle = colourOf(colour);
      context.fillRect(x, y, wide > 3 ? wide - 1 : wide, Math.max(1, tall - gap));
    }
  });
  const [left, right] = [xOf(range.from, whole, area.width), xOf(range.to, whole, area.width)];
  if (left <= 0 && right >= area.width) return;
  context.fillStyle = colourOf("var(--scrim)");
  context.fillRect(0, 0, left, area.height);
  context.fillRect(right, 0, area.width - right, area.height);
}
