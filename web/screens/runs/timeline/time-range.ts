/** A part of a run, in seconds since it began. */
export interface TimeRange {
  from: number;
  to: number;
}

/** Shorter than what a computer can tell apart. */
const shortest = 1e-6;

/** A little room at the end, so that the last bar does not touch the edge. */
export function wholeRange(seconds: number): TimeRange {
  return { from: 0, to: Math.max(seconds, shortest) * 1.02 };
}

/** Makes the range shorter (factor < 1) or longer around a moment, which stays where it is. */
export function zoomed(range: TimeRange, whole: TimeRange, factor: number, at: number): TimeRange {
  const length = Math.max(shortest, (range.to - range.from) * factor);
  if (length >= whole.to - whole.from) return whole;
  const share = (at - range.from) / (range.to - range.from);
  return within({ from: at - share * length, to: at + (1 - share) * length }, whole);
}

export function panned(range: TimeRange, whole: TimeRange, by: number): TimeRange {
  return within({ from: range.from + by, to: range.to + by }, whole);
}

/** A range that a person has pulled open, in any direction. */
export function between(one: number, other: number, whole: TimeRange): TimeRange {
  const from = Math.max(whole.from, Math.min(one, other));
  const to = Math.min(whole.to, Math.max(one, other));
  return to - from < shortest ? whole : { from, to };
}

export const isWhole = (range: TimeRange, whole: TimeRange): boolean =>
  range.from <= whole.from && range.to >= whole.to;

function within({ from, to }: TimeRange, whole: TimeRange): TimeRange {
  if (from < whole.from) return { from: whole.from, to: whole.from + to - from };
  if (to > whole.to) return { from: whole.to - (to - from), to: whole.to };
  return { from, to };
}

const steps = [1, 2, 5] as const;
const minuteSteps = [60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400] as const;

/** The distance of the marks on the axis: round numbers, at most this many. */
export function tickStep({ from, to }: TimeRange, most: number): number {
  const least = (to - from) / Math.max(1, most);
  if (least > 30) return minuteSteps.find((step) => step >= least) ?? Math.ceil(least / 86_400) * 86_400;
  const power = 10 ** Math.floor(Math.log10(least));
  for (const step of steps) if (step * power >= least) return step * power;
  return 10 * power;
}

export function ticksOf(range: TimeRange, most: number): number[] {
  const step = tickStep(range, most);
  const first = Math.ceil(range.from / step);
  const last = Math.floor(range.to / step);
  // By whole numbers: adding steps up would collect rounding errors.
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => (first + at) * step);
}

/** A moment on the axis: "0", "250 ms", "1.5 s", "2:05", "1:02:05". */
export function momentWords(seconds: number, step: number): string {
  if (seconds === 0) return "0";
  if (step < 0.001) return `${trimmed(seconds * 1_000, 3)} ms`;
  if (seconds < 1) return `${trimmed(seconds * 1_000, 0)} ms`;
  if (seconds < 60) return `${trimmed(seconds, step < 0.1 ? 3 : 1)} s`;
  const two = (value: number) => String(value).padStart(2, "0");
  const rest = seconds % 60;
  const end = step < 1 ? two(Math.floor(rest)) + trimmed(rest % 1, 3).slice(1) : two(Math.round(rest));
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}:${end}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${end}`;
}

function trimmed(value: number, decimals: number): string {
  return String(Number(value.toFixed(decimals)));
}
