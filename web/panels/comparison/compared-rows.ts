import type { ComparedMetric, ComparedText, ModelComparison } from "@miranda/contract/schemas/models/compare.ts";

import { metricWords } from "../models/metric-words.ts";

export interface ComparedCell {
  words: string;
  /** The whole value. */
  title: string;
  isBest: boolean;
  /** Where the value was logged, when that says something. */
  step: number | null;
}

interface ComparedRow {
  name: string;
  cells: ComparedCell[];
  /** From the first to the second, of two numbers. */
  change: string;
}

interface ComparedGroup {
  title: string;
  isNumber: boolean;
  rows: ComparedRow[];
  /** How many were left out because they are the same. */
  same: number;
}

/** What a comparison shows, group by group. A group without anything is left out. */
export function groupsOf(comparison: ModelComparison, onlyDifferences: boolean): ComparedGroup[] {
  const group = <Row extends { differs: boolean }>(
    title: string,
    rows: readonly Row[],
    rowOf: (row: Row) => ComparedRow,
    isNumber = false,
  ): ComparedGroup => {
    const shown = onlyDifferences ? rows.filter(({ differs }) => differs) : rows;
    return { title, isNumber, rows: shown.map(rowOf), same: rows.length - shown.length };
  };
  return [
    group("Metrics", comparison.metrics, metricRow, true),
    group("Parameters", comparison.params, textRow),
    group("Facts", comparison.facts, textRow),
    group("Packages", comparison.packages, textRow),
  ].filter(({ rows, same }) => rows.length + same > 0);
}

function metricRow({ name, values, steps, best }: ComparedMetric): ComparedRow {
  const cells = values.map((value, at) => ({
    words: metricWords(value),
    title: value === null ? "Not logged" : String(value),
    isBest: best.includes(at),
    step: steps[at] ?? null,
  }));
  return { name, cells, change: changeOf(values) };
}

function textRow({ name, values }: ComparedText): ComparedRow {
  const cells = values.map((value) => ({
    ...{ words: value ?? "–", title: value ?? "None", isBest: false, step: null },
  }));
  return { name, cells, change: "" };
}

/** "+0.02", of two numbers that differ. */
function changeOf(values: ComparedMetric["values"]): string {
  const [before, after] = values;
  if (values.length !== 2 || typeof before !== "number" || typeof after !== "number" || before === after) return "";
  const change = after - before;
  return Number.isFinite(change) ? `${change > 0 ? "+" : "−"}${metricWords(Math.abs(change))}` : "";
}
