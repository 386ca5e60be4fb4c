/** One measurement: our result, the bare baseline if there is one, their ratio, and whether we are within the budget. */
export interface Measurement {
  name: string;
  ours: string;
  bare: string;
  ratio: string;
  budget: string;
  passes: boolean;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
