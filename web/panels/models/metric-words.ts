import type { MetricValue } from "@miranda/contract/schemas/models/models.ts";

import { isLowerBetter } from "@miranda/contract/metrics/metric-direction.ts";

/** A value as a table shows it, with at most five digits that count. */
export function metricWords(value: MetricValue | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "string") return value === "NaN" ? "NaN" : value.replace("Infinity", "∞");
  return String(Number(value.toPrecision(5)));
}

/** The best of some values of a metric. Undefined when fewer than two are numbers, so that none stands out. */
export function bestValue(name: string, values: readonly (MetricValue | null | undefined)[]): number | undefined {
  const numbers = values.filter((value): value is number => typeof value === "number");
  if (new Set(numbers).size < 2) return undefined;
  return isLowerBetter(name) ? Math.min(...numbers) : Math.max(...numbers);
}
