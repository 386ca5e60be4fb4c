import type { Range } from "../metrics/chart-scale.ts";
import { placeOf, type PlotAxis, type PlotItem } from "./plot-axes.ts";

/** What is chosen on each axis, by the axis's key, from and to a place between 0 and 1. */
export type Brushes = ReadonlyMap<string, Range>;

/** A drag shorter than this share of the axis is a click, which takes the choice back. */
const smallest = 0.015;
/** A value at the end of a choice belongs to it, although a pixel is never exact. */
const air = 0.004;

export function withBrush(brushes: Brushes, key: string, range: Range | undefined): Brushes {
  const changed = new Map(brushes);
  if (!range || Math.abs(range[1] - range[0]) < smallest) changed.delete(key);
  else changed.set(key, [Math.max(0, Math.min(...range)), Math.min(1, Math.max(...range))]);
  return changed;
}

/** The runs that lie within every choice. A run without a value on a chosen axis does not. */
export function chosenRuns(runs: readonly PlotItem[], axes: readonly PlotAxis[], brushes: Brushes): PlotItem[] {
  const limits = axes.flatMap((axis) => {
    const range = brushes.get(axis.key);
    return range ? [{ axis, range }] : [];
  });
  if (limits.length === 0) return [...runs];
  return runs.filter((run) =>
    limits.every(({ axis, range: [from, to] }) => {
      const place = placeOf(axis, run);
      return place !== undefined && place >= from - air && place <= to + air;
    }),
  );
}
