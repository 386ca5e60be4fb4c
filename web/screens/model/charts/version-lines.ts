import type { ModelMetricSeries } from "@miranda/contract/schemas/models/versions.ts";

import { type Axis, byStep, type ChartLine, type ChartMark, lookOf } from "../../../panels/metrics/chart-lines.ts";

/** One chart: a metric of several versions. */
export interface MetricChart {
  name: string;
  lines: ChartLine[];
}

/** A chart for each metric, in the order in which the first version logged them. A version has the same colour in all of them. */
export function metricCharts(
  series: readonly ModelMetricSeries[],
  versions: readonly number[],
  axis: Axis,
): MetricChart[] {
  const charts = new Map<string, ChartLine[]>();
  // Tips and tables name the versions in the order of the legend.
  const ordered = series.toSorted((one, other) => versions.indexOf(one.version) - versions.indexOf(other.version));
  for (const one of ordered) {
    const lines = charts.get(one.name) ?? [];
    lines.push(lineOf(one, versions.indexOf(one.version), axis));
    charts.set(one.name, lines);
  }
  return [...charts].map(([name, lines]) => ({ name, lines }));
}

function lineOf(series: ModelMetricSeries, at: number, axis: Axis): ChartLine {
  const { steps, values, times, version, wob_key } = series;
  const sorted = axis === "step" ? byStep(steps, values) : { x: times, y: values };
  return {
    key: `${version} ${wob_key ?? 0}`,
    label: `Version ${version}`,
    ...lookOf(Math.max(0, at)),
    ...sorted,
    marks: marksOf(series, sorted),
  };
}

/** Where the best and the last value are. The extremes are kept when a line is thinned out. */
function marksOf(series: ModelMetricSeries, { x, y }: Pick<ChartLine, "x" | "y">): ChartMark[] {
  const best = series.lower_is_better ? series.lowest : series.highest;
  const marks: ChartMark[] = [];
  if (best) {
    const place = y.indexOf(best.value);
    if (place >= 0) marks.push({ kind: "best", x: x[place] ?? best.step, y: best.value });
  }
  const last = y.findLastIndex((value) => value !== null);
  if (last >= 0) marks.push({ kind: "last", x: x[last] ?? 0, y: y[last] ?? 0 });
  return marks;
}
