import { type Range, ticksOf } from "../metrics/chart-scale.ts";
import { numberWords } from "../metrics/chart-words.ts";

/** A run, or a version of a model, as the plots draw it. */
export interface PlotItem {
  id: string;
  name: string;
  /** What a click opens; null when it has no page. */
  address: string | null;
  params: Readonly<Record<string, string>>;
  metrics: Readonly<Record<string, number | null>>;
}

interface AxisName {
  key: string;
  label: string;
  kind: "param" | "metric";
}

/** What lies on an axis: numbers, or texts at equal distances. Places go from 0 to 1. */
export type PlotAxis = AxisName &
  ({ type: "numbers"; range: Range; isLog: boolean; ticks: readonly number[] } | { type: "texts"; texts: string[] });

const textsMax = 40;
/** Numbers above zero that differ this much, such as learning rates, would all be at the bottom of an even axis. */
const logFrom = { param: 100, metric: 1_000 } as const;

const keyOf = (kind: AxisName["kind"], name: string) => `${kind} ${name}`;

function valueOf(run: PlotItem, { kind, label }: AxisName): string | number | null {
  return (kind === "param" ? run.params[label] : run.metrics[label]) ?? null;
}

function asNumber(value: string | number | null): number | undefined {
  if (value === null || (typeof value === "string" && value.trim() === "")) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** Everything that the runs can be drawn by: parameters first, then metrics. Texts of too many kinds are left out. */
export function axesOf(runs: readonly PlotItem[]): PlotAxis[] {
  const names = new Map<string, AxisName>();
  for (const kind of ["param", "metric"] as const)
    for (const run of runs)
      for (const label of Object.keys(kind === "param" ? run.params : run.metrics))
        names.set(keyOf(kind, label), { key: keyOf(kind, label), label, kind });
  return [...names.values()].flatMap((name) => axisOf(runs, name) ?? []);
}

function axisOf(runs: readonly PlotItem[], name: AxisName): PlotAxis | undefined {
  const values = runs.map((run) => valueOf(run, name)).filter((value) => value !== null);
  const numbers = values.map(asNumber);
  const known = numbers.filter((number) => number !== undefined);
  if (known.length > 0 && (known.length === values.length || name.kind === "metric")) return numberAxis(name, known);
  if (known.length === 0 && name.kind === "metric") return undefined;
  const texts = [...new Set(values.map(String))].toSorted((one, other) => one.localeCompare(other, "en"));
  return texts.length === 0 || texts.length > textsMax ? undefined : { ...name, type: "texts", texts };
}

function numberAxis(name: AxisName, numbers: readonly number[]): PlotAxis {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const number of numbers) [low, high] = [Math.min(low, number), Math.max(high, number)];
  const isLog = low > 0 && high / low >= logFrom[name.kind];
  const air = low === high ? Math.abs(low) * 0.5 || 0.5 : 0;
  const range: Range = [low - air, high + air];
  const ticks = isLog
    ? ticksOf([Math.log10(low), Math.log10(high)], 5)
        .filter((one) => Number.isInteger(one))
        .map((one) => 10 ** one)
    : ticksOf(range, 5);
  return { ...name, type: "numbers", range, isLog, ticks };
}

/** Whether the runs differ in it. What is the same everywhere explains nothing. */
export function isVaried(axis: PlotAxis, runs: readonly PlotItem[]): boolean {
  return new Set(runs.map((run) => valueOf(run, axis))).size > 1;
}

/** Where a run lies on an axis, from 0 to 1. Undefined: it has no value there. */
export function placeOf(axis: PlotAxis, run: PlotItem): number | undefined {
  const value = valueOf(run, axis);
  if (axis.type === "texts") return value === null ? undefined : placeOfText(axis.texts, String(value));
  const number = asNumber(value);
  return number === undefined ? undefined : placeOfNumber(axis, number);
}

function placeOfNumber(axis: PlotAxis & { type: "numbers" }, number: number): number {
  const at = axis.isLog ? Math.log10 : (value: number) => value;
  const [from, to] = axis.range.map(at) as [number, number];
  return to === from ? 0.5 : (at(number) - from) / (to - from);
}

function placeOfText(texts: readonly string[], text: string): number {
  return texts.length === 1 ? 0.5 : texts.indexOf(text) / (texts.length - 1);
}

/** The value at a place, in words. */
export function wordsAt(axis: PlotAxis, place: number): string {
  if (axis.type === "texts") return axis.texts[Math.round(place * (axis.texts.length - 1))] ?? "";
  const [from, to] = axis.range;
  const value = axis.isLog
    ? 10 ** (Math.log10(from) + place * (Math.log10(to) - Math.log10(from)))
    : from + place * (to - from);
  return numberWords(Number(value.toPrecision(4)));
}

/** What a run has on an axis, in words. */
export function valueWords(axis: PlotAxis, run: PlotItem): string {
  const value = valueOf(run, axis);
  if (value === null) return "–";
  return typeof value === "number" ? numberWords(value) : value;
}

/** The names along an axis, with their places. */
export function marksOf(axis: PlotAxis): { place: number; words: string }[] {
  if (axis.type === "numbers")
    return axis.ticks.map((tick) => ({ place: placeOfNumber(axis, tick), words: numberWords(tick) }));
  const every = Math.ceil(axis.texts.length / 12);
  return axis.texts
    .filter((_, at) => at % every === 0)
    .map((words) => ({ place: placeOfText(axis.texts, words), words }));
}
