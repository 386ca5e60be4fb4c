import type { Position } from "../../schemas/nodes.ts";
import { type LaidOut, nodeLayout } from "./card-layout.ts";
import { columnStep, layeredLayout, nodeBox, rowStep } from "./layered-layout.ts";

const columnGap = 96;
const rowGap = 36;
const usualHeight = 150;

/** Left to right along the links. Columns and rows come from the layered layout, heights from the cards. */
export function placeNodes(nodes: readonly LaidOut[], links: readonly (readonly [number, number])[]): Position[] {
  const rough = layeredLayout(nodes.length, links);
  const scaleX = (nodeBox.width + columnGap) / columnStep;
  const columns = new Map<number, { index: number; y: number }[]>();
  rough.forEach(({ x, y }, index) => {
    const column = columns.get(x) ?? [];
    column.push({ index, y });
    columns.set(x, column);
  });
  const places: Position[] = [];
  for (const [x, column] of columns) {
    let bottom = -Infinity;
    for (const { index, y } of column.sort((one, other) => one.y - other.y)) {
      const node = nodes[index];
      if (!node) continue;
      const top = Math.max((y / rowStep) * (usualHeight + rowGap), bottom + rowGap);
      bottom = top + nodeLayout(node).height;
      places[index] = { x: x * scaleX, y: top };
    }
  }
  return places;
}
