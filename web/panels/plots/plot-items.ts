import type { RunsPlot } from "@miranda/contract/schemas/models/compare.ts";

import type { PlotItem } from "./plot-axes.ts";

/**
 * What the server sends, as the plots draw it. What is no number has no place on an axis. `addressOf` finds the page of
 * those that are no run of a workflow.
 */
export function plotItems(
  { runs, cut }: RunsPlot,
  addressOf: (key: string) => string | null = () => null,
): { items: PlotItem[]; cut: boolean } {
  const items = runs.map(({ key, label, params, metrics, address, seconds }): PlotItem => {
    const numbers = Object.entries(metrics).map(([name, value]) => [name, typeof value === "number" ? value : null]);
    return {
      ...{ id: key, name: label, address: address ?? addressOf(key), params },
      metrics: { ...Object.fromEntries(numbers), ...(seconds !== null && { "Duration in seconds": seconds }) },
    };
  });
  return { items, cut };
}
