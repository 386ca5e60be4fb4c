/** One measurement: our result, the bare baseline if there is one, their ratio, and whether we are within the budget. */
export interface Measurement {
  name: string;
  ours: string;
  bare: string;
  ratio: string;
  budget: string;
  passes: boolean;
  /** How many times what the bare one needs: smaller is better. Only where the two were measured in turn. */
  times?: number;
}

const sizes = ["full", "quick", "tiny"] as const;
type Size = (typeof sizes)[number];

/** Everything; what shows a loss within seconds; or only that the benchmark works. */
export const size: Size = sizes.find((one) => one === process.env["BENCH_SIZE"]) ?? "full";

/** How much of something a benchmark measures. */
export function sized(full: number, { quick = full, tiny = 1 }: { quick?: number; tiny?: number } = {}): number {
  return { full, quick, tiny }[size];
}

export function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
