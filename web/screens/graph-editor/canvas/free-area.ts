/** A part of the canvas on the screen, from its upper left corner. */
export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

export type Size = Pick<Area, "width" | "height">;
type Point = Pick<Area, "x" | "y">;

interface View extends Point {
  zoom: number;
}

/** The distance to the edges of the free area. */
const margin = 24;
/** Smaller areas are not used. */
const minSize = 96;

/** Every rectangle of the canvas that nothing covers, each as wide as possible for its height. */
function freeAreas({ width, height }: Size, covers: readonly Area[]): Area[] {
  const within = (value: number) => Math.max(0, Math.min(height, value));
  const edges = covers.flatMap((cover) => [within(cover.y), within(cover.y + cover.height)]);
  const rows = [...new Set([0, height, ...edges])].toSorted((one, other) => one - other);
  return rows.flatMap((top, at) =>
    rows.slice(at + 1).flatMap((bottom) => {
      const inRow = covers.filter((cover) => cover.y < bottom && cover.y + cover.height > top);
      return gaps(width, inRow).map(([left, right]) => ({
        x: left,
        y: top,
        width: right - left,
        height: bottom - top,
      }));
    }),
  );
}

function gaps(width: number, covers: readonly Area[]): [number, number][] {
  const found: [number, number][] = [];
  let left = 0;
  for (const cover of covers.toSorted((one, other) => one.x - other.x)) {
    if (cover.x > left) found.push([left, Math.min(cover.x, width)]);
    left = Math.max(left, cover.x + cover.width);
  }
  if (left < width) found.push([left, width]);
  return found;
}

function usableAreas(pane: Size, covers: readonly Area[]): Area[] {
  const usable = freeAreas(pane, covers).filter(({ width, height }) => width >= minSize && height >= minSize);
  // The size of an element is a DOMRect, and a spread of one has no fields.
  return usable.length > 0 ? usable : [{ x: 0, y: 0, width: pane.width, height: pane.height }];
}

/** The zoom at which something of this size fits into the area. */
function zoomIn(area: Area, { width, height }: Size): number {
  return Math.min((area.width - 2 * margin) / Math.max(width, 1), (area.height - 2 * margin) / Math.max(height, 1));
}

/** Where the middle of something goes: the middle of the canvas, or the nearest point at which nothing covers it. */
function nearestMiddle(shown: Size, pane: Size, areas: readonly Area[]): Point {
  const wanted = { x: pane.width / 2, y: pane.height / 2 };
  const middles = areas
    .filter((area) => zoomIn(area, shown) >= 0.999)
    .map(({ x, y, width, height }) => ({
      x: between(x + margin + shown.width / 2, wanted.x, x + width - margin - shown.width / 2),
      y: between(y + margin + shown.height / 2, wanted.y, y + height - margin - shown.height / 2),
    }));
  const away = ({ x, y }: Point) => Math.hypot(x - wanted.x, y - wanted.y);
  const [first = middleOf(largestOf(areas)), ...others] = middles;
  return others.reduce((best, middle) => (away(middle) < away(best) ? middle : best), first);
}

function largestOf(areas: readonly Area[]): Area {
  const size = ({ width, height }: Area) => width * height;
  return areas.reduce((best, area) => (size(area) > size(best) ? area : best));
}

function between(low: number, value: number, high: number): number {
  return low > high ? (low + high) / 2 : Math.max(low, Math.min(high, value));
}

/** The viewport that shows all of `bounds` as large as possible without anything covering it. */
export function fitting(bounds: Area, pane: Size, covers: readonly Area[], zooms: { min: number; max: number }): View {
  const areas = usableAreas(pane, covers);
  const largest = Math.max(...areas.map((area) => zoomIn(area, bounds)));
  return lookingAt(bounds, Math.max(zooms.min, Math.min(zooms.max, largest)), pane, covers);
}

/** The viewport that shows `bounds` at this zoom with nothing covering it, if possible. */
export function lookingAt(bounds: Area, zoom: number, pane: Size, covers: readonly Area[]): View {
  const shown = { width: bounds.width * zoom, height: bounds.height * zoom };
  const middle = nearestMiddle(shown, pane, usableAreas(pane, covers));
  const point = middleOf(bounds);
  return { x: middle.x - point.x * zoom, y: middle.y - point.y * zoom, zoom };
}

/** The smallest move on the screen that brings all of something into view with nothing covering it. */
export function pushInto(shown: Area, pane: Size, covers: readonly Area[]): Point {
  const inside = usableAreas(pane, covers).filter((area) => zoomIn(area, shown) >= 0.999);
  const pushes = inside.map((area) => ({
    x: between(area.x + margin, shown.x, area.x + area.width - margin - shown.width) - shown.x,
    y: between(area.y + margin, shown.y, area.y + area.height - margin - shown.height) - shown.y,
  }));
  const far = ({ x, y }: Point) => Math.hypot(x, y);
  return pushes.reduce((best, push) => (far(push) < far(best) ? push : best), pushes[0] ?? { x: 0, y: 0 });
}

export function middleOf({ x, y, width, height }: Area): Point {
  return { x: x + width / 2, y: y + height / 2 };
}
