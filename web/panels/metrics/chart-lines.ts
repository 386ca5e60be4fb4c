import type { RunMetrics, RunUsage } from "@miranda/contract/schemas/runs.ts";

/** A line in a chart. Gaps are null. `x` never goes back. */
export interface ChartLine {
  key: string;
  label: string;
  colour: string;
  dash: string | undefined;
  x: readonly number[];
  y: readonly (number | null)[];
  /** Before smoothing, drawn faintly behind the line. */
  raw?: readonly (number | null)[];
  marks?: readonly ChartMark[];
}

/** A point of a line that stands out. */
export interface ChartMark {
  kind: "best" | "last";
  x: number;
  y: number;
}

/** A point of a line that is pointed at. */
export interface Shown {
  line: ChartLine;
  x: number;
  value: number | null;
}

export type Axis = "step" | "time";

/** Told apart by people who do not see all colours, on light and dark. Further lines repeat them, dashed. */
const colours = [
  "light-dark(oklch(0.5 0.13 245), oklch(0.76 0.12 240))",
  "light-dark(oklch(0.62 0.16 50), oklch(0.78 0.14 65))",
  "light-dark(oklch(0.52 0.12 165), oklch(0.78 0.13 165))",
  "light-dark(oklch(0.52 0.19 350), oklch(0.75 0.15 350))",
  "light-dark(oklch(0.45 0.17 295), oklch(0.74 0.13 300))",
  "light-dark(oklch(0.56 0.11 105), oklch(0.83 0.13 105))",
] as const;
const dashes = [undefined, "7 4", "2 3"] as const;

/** The look of a line by its place among the lines. */
export function lookOf(at: number): Pick<ChartLine, "colour" | "dash"> {
  const [first] = colours;
  return {
    colour: colours[at % colours.length] ?? first,
    dash: dashes[Math.floor(at / colours.length) % dashes.length],
  };
}

/** A line for each metric. The node is named where several nodes logged the same name. */
export function metricLines(
  metrics: RunMetrics,
  axis: Axis,
  nameOf: (node: number) => string | undefined,
): ChartLine[] {
  const names = new Map<string, number>();
  for (const { name } of metrics) names.set(name, (names.get(name) ?? 0) + 1);
  return metrics.map(({ name, wob_key, steps, values, times }, at) => {
    const node = wob_key === null ? undefined : (nameOf(wob_key) ?? `Node ${wob_key}`);
    const isAlone = names.get(name) === 1 || node === undefined;
    const sorted = axis === "step" ? byStep(steps, values) : { x: times, y: values };
    return { key: `${wob_key ?? 0} ${name}`, label: isAlone ? name : `${name} · ${node}`, ...lookOf(at), ...sorted };
  });
}

/** Node code may log steps in any order. */
export function byStep(steps: readonly number[], values: readonly (number | null)[]): Pick<ChartLine, "x" | "y"> {
  const isSorted = steps.every((step, at) => at === 0 || step >= (steps[at - 1] ?? step));
  if (isSorted) return { x: steps, y: values };
  const places = Array.from(steps.keys()).toSorted((one, other) => (steps[one] ?? 0) - (steps[other] ?? 0));
  return { x: places.map((at) => steps[at] ?? 0), y: places.map((at) => values[at] ?? null) };
}

/** The moving average of a line that forgets older points the faster, the smaller the weight is. */
export function smoothed(values: readonly (number | null)[], weight: number): (number | null)[] {
  let sum = 0;
  let share = 0;
  return values.map((value) => {
    if (value === null) return null;
    sum = sum * weight + value * (1 - weight);
    // Without this, every line would begin near zero.
    share = share * weight + (1 - weight);
    return sum / share;
  });
}

export interface UsageChart {
  title: string;
  unit: "cores" | "GB" | "B/s";
  lines: ChartLine[];
}

export function usageCharts({ times, cpu, ram_gb, received, sent }: RunUsage): UsageChart[] {
  const line = (label: string, at: number, y: readonly number[]): ChartLine => ({
    key: label,
    label,
    ...lookOf(at),
    x: times,
    y,
  });
  const charts: UsageChart[] = [
    { title: "Processor", unit: "cores", lines: [line("Processor", 0, cpu)] },
    { title: "Memory", unit: "GB", lines: [line("Memory", 2, ram_gb)] },
  ];
  if (received && sent)
    charts.push({ title: "Network", unit: "B/s", lines: [line("Received", 3, received), line("Sent", 1, sent)] });
  return charts;
}
