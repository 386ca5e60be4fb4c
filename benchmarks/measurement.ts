/** One measurement: ours beside the bare limit where there is one, as a ratio, and whether that is within the budget. */
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
