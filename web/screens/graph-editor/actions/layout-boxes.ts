import { components, layeredLayout, rowStep } from "@miranda/contract/graph/layout/layered-layout.ts";
import type { Position } from "@miranda/contract/schemas/nodes.ts";

import type { Area, Size } from "../canvas/free-area.ts";
import { boundsOf } from "./arrange.ts";

type Link = readonly [number, number];

/** A box at its place. `index` is its place in the list of boxes. */
type Placed = Area & { index: number };

/** A part of the layout that is moved as one: a chain of connected boxes, or a box without links. */
interface Part extends Size {
  boxes: readonly Placed[];
}

const noSize: Size = { width: 0, height: 0 };
const space = { column: 80, row: 36, band: 96 } as const;
/** The height of a box in a row of the rough layout. */
const usualHeight = 150;

/**
 * Places boxes from left to right along the links, without overlaps. What would be much wider than the view is broken
 * into rows below each other, like text. Boxes without links come after all others. `ratio` is the view's width divided
 * by its height.
 */
export function layoutBoxes(sizes: readonly Size[], links: readonly Link[], ratio: number): Position[] {
  const proper = links.filter(([from, to]) => from !== to);
  const chains: Placed[][][] = [];
  const singles: Part[] = [];
  for (const { nodes, edges } of components(sizes.length, proper)) {
    const [first = 0, ...others] = nodes;
    const { width, height } = sizes[first] ?? noSize;
    if (others.length === 0) singles.push({ width, height, boxes: [{ index: first, x: 0, y: 0, width, height }] });
    else
      chains.push(
        columnsOf(
          nodes,
          edges.flatMap((at) => (proper[at] ? [proper[at]] : [])),
          sizes,
        ),
      );
  }
  const places: Position[] = [];
  for (const { index, x, y } of bestShape(chains, singles, ratio)) places[index] = { x, y };
  return places;
}

/** The columns of connected boxes. Each box has its height in the column; where the column lies is open. */
function columnsOf(nodes: readonly number[], links: readonly Link[], sizes: readonly Size[]): Placed[][] {
  const local = new Map(nodes.map((node, at) => [node, at]));
  const rough = layeredLayout(
    nodes.length,
    links.map(([from, to]) => [local.get(from) ?? 0, local.get(to) ?? 0]),
  );
  const columns = new Map<number, { index: number; y: number }[]>();
  rough.forEach(({ x, y }, at) => {
    const column = columns.get(x) ?? [];
    column.push({ index: nodes[at] ?? 0, y: (y / rowStep) * (usualHeight + space.row) });
    columns.set(x, column);
  });
  return [...columns].toSorted(([one], [other]) => one - other).map(([, column]) => stacked(column, sizes));
}

/** Boxes below each other, at their wanted heights or lower. */
function stacked(column: readonly { index: number; y: number }[], sizes: readonly Size[]): Placed[] {
  let bottom = -Infinity;
  return column
    .toSorted((one, other) => one.y - other.y)
    .map(({ index, y }) => {
      const { width, height } = sizes[index] ?? noSize;
      const top = Math.max(y, bottom + space.row);
      bottom = top + height;
      return { index, x: 0, y: top, width, height };
    });
}

/** Breaks the chains into as many rows as bring everything nearest to the wanted shape. */
function bestShape(chains: readonly Placed[][][], singles: readonly Part[], ratio: number): Placed[] {
  const longest = chains.reduce((most, columns) => Math.max(most, columns.length), 1);
  const shapeFor = (perRow: number) => {
    const boxes = packed(
      chains.map((columns) => inRows(columns, perRow)),
      singles,
      ratio,
    );
    const { width, height } = boundsOf(boxes);
    return { boxes, error: Math.abs(Math.log(Math.max(1, width) / Math.max(1, height) / ratio)) };
  };
  let best = shapeFor(longest);
  let before = longest;
  for (let rows = 2; rows <= longest; rows += 1) {
    const perRow = Math.ceil(longest / rows);
    if (perRow === before) continue;
    const next = shapeFor(perRow);
    // Two rows are harder to follow than one, so they have to fit clearly better.
    if (next.error >= best.error - (before === longest ? 0.4 : 0)) break;
    [best, before] = [next, perRow];
  }
  return best.boxes;
}

/** Puts columns beside each other, and the rest of them below in further rows. */
function inRows(columns: readonly Placed[][], perRow: number): Part {
  const rows = Math.ceil(columns.length / perRow);
  const each = Math.ceil(columns.length / rows);
  const boxes: Placed[] = [];
  let top = 0;
  for (let from = 0; from < columns.length; from += each) {
    const row = columns.slice(from, from + each);
    const { y, height } = boundsOf(row.flat());
    let left = 0;
    for (const column of row) {
      for (const box of column) boxes.push({ ...box, x: left, y: box.y - y + top });
      left += boundsOf(column).width + space.column;
    }
    top += height + space.band;
  }
  const { width, height } = boundsOf(boxes);
  return { width, height, boxes };
}

/** Chains on shelves, then the boxes without links on shelves below them. */
function packed(chains: readonly Part[], singles: readonly Part[], ratio: number): Placed[] {
  const all = [...chains, ...singles];
  const area = all.reduce((sum, { width, height }) => sum + (width + space.column) * (height + space.row), 0);
  const widest = all.reduce((most, { width }) => Math.max(most, width), 0);
  const width = Math.max(widest, Math.sqrt(area * ratio));
  const upper = onShelves(chains, width, space.band);
  const top = upper.length > 0 ? boundsOf(upper).height + space.band : 0;
  const lower = onShelves(singles, width, space.row);
  return [...upper, ...lower.map((box) => ({ ...box, y: box.y + top }))];
}

function onShelves(parts: readonly Part[], most: number, between: number): Placed[] {
  const boxes: Placed[] = [];
  let [left, top, tallest] = [0, 0, 0];
  for (const part of parts.toSorted((one, other) => other.height - one.height || other.width - one.width)) {
    if (left > 0 && left + part.width > most) {
      top += tallest + between;
      [left, tallest] = [0, 0];
    }
    for (const box of part.boxes) boxes.push({ ...box, x: box.x + left, y: box.y + top });
    left += part.width + space.column;
    tallest = Math.max(tallest, part.height);
  }
  return boxes;
}
