import { placeOf, type PlotAxis, type PlotItem } from "./plot-axes.ts";

// From blue to orange: told apart by people who do not see all colours, on light and dark.
const low = "light-dark(oklch(0.48 0.15 255), oklch(0.7 0.14 250))";
const high = "light-dark(oklch(0.66 0.17 52), oklch(0.83 0.15 70))";
const without = "var(--ink-faint)";

/** The colour of a place between 0 and 1. */
const colourAt = (place: number): string => `color-mix(in oklab, ${high} ${(place * 100).toFixed(0)}%, ${low})`;

/** The colour of a run by its value on an axis. */
export function colourOf(axis: PlotAxis | undefined, run: PlotItem): string {
  if (!axis) return low;
  const place = placeOf(axis, run);
  return place === undefined ? without : colourAt(place);
}

export const colourBar = `linear-gradient(to right in oklab, ${low}, ${high})`;
