import { isLowerBetter } from "@miranda/contract/metrics/metric-direction.ts";
import type { ComparedMetric, ComparedText } from "@miranda/contract/schemas/models/compare.ts";
import type { MetricValue } from "@miranda/contract/schemas/models/models.ts";

/** A value of a metric, and the step at which it was logged. */
export interface ValueAtStep {
  value: MetricValue;
  step: number | null;
}

/** One row for each name that an item has, in the order in which the items have them. */
function rowsOf<Value, Row>(
  items: readonly ReadonlyMap<string, Value>[],
  toRow: (name: string, values: (Value | null)[]) => Row,
): Row[] {
  const names = new Set(items.flatMap((item) => [...item.keys()]));
  return Array.from(names, (name) =>
    toRow(
      name,
      items.map((item) => item.get(name) ?? null),
    ),
  );
}

const areDifferent = (values: readonly unknown[]): boolean => values.some((value) => !Object.is(value, values[0]));

export function comparedTexts(items: readonly ReadonlyMap<string, string>[]): ComparedText[] {
  return rowsOf(items, (name, values) => ({ name, values, differs: areDifferent(values) }));
}

export function comparedMetrics(items: readonly ReadonlyMap<string, ValueAtStep>[]): ComparedMetric[] {
  return rowsOf(items, (name, found) => {
    const values = found.map((one) => one?.value ?? null);
    const lower = isLowerBetter(name);
    return {
      ...{ name, values, steps: found.map((one) => one?.step ?? null), lower_is_better: lower },
      ...{ differs: areDifferent(values), best: bestOf(values, lower) },
    };
  });
}

/** The places of the best value. None when all are equal, or when there is one value only. */
function bestOf(values: readonly (MetricValue | null)[], isLower: boolean): number[] {
  const numbers = values.flatMap((value) => (typeof value === "number" ? [value] : []));
  if (numbers.length < 2 || !areDifferent(numbers)) return [];
  const best = isLower ? Math.min(...numbers) : Math.max(...numbers);
  return values.flatMap((value, at) => (value === best ? [at] : []));
}
