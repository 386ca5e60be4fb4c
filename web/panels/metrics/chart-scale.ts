import type { ChartLine } from "./chart-lines.ts";

export type Range = readonly [number, number];

/** Maps values to pixels, and says which values the axis names. */
export interface Scale {
  (value: number): number;
  invert: (pixel: number) => number;
  ticks: readonly number[];
}

export function linearScale([from, to]: Range, [start, end]: Range, ticks: readonly number[]): Scale {
  const width = to - from || 1;
  const scale = (value: number) => start + ((value - from) / width) * (end - start);
  const invert = (pixel: number) => from + ((pixel - start) / (end - start || 1)) * width;
  return Object.assign(scale, { invert, ticks });
}

export function logScale(range: Range, pixels: Range): Scale {
  const exponents: Range = [Math.log10(range[0]), Math.log10(range[1])];
  const linear = linearScale(exponents, pixels, []);
  const whole = ticksOf(exponents, 5).filter((one) => Number.isInteger(one));
  const ticks = (whole.length >= 2 ? whole : ticksOf(exponents, 3)).map((one) => 10 ** one);
  const scale = (value: number) => linear(Math.log10(value));
  return Object.assign(scale, { invert: (pixel: number) => 10 ** linear.invert(pixel), ticks });
}

/** Round numbers between the ends: steps of 1, 2 or 5 times a power of ten. */
export function ticksOf([from, to]: Range, wanted: number): number[] {
  const rough = (to - from) / Math.max(1, wanted);
  if (!(rough > 0) || !Number.isFinite(rough)) return [from];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((one) => one * power >= rough) ?? 10) * power;
  const first = Math.ceil(from / step);
  const count = Math.min(50, Math.floor(to / step + 1e-9) - first + 1);
  // Counted and not added up: sums of 0.1 end in 0.30000000000000004.
  return Array.from({ length: Math.max(0, count) }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

/** From the lowest to the highest x. */
export function xRange(lines: readonly ChartLine[]): Range | undefined {
  const ends = lines.flatMap(({ x }) => (x.length > 0 ? [x[0] ?? 0, x.at(-1) ?? 0] : []));
  if (ends.length === 0) return undefined;
  const [from, to] = [Math.min(...ends), Math.max(...ends)];
  return from === to ? [from - 0.5, to + 0.5] : [from, to];
}

/** What the lines show between two x, with a little air. On a log scale only what is above zero. */
export function yRange(lines: readonly ChartLine[], [from, to]: Range, isLog: boolean): Range | undefined {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { x, y, raw } of lines)
    for (const [at, value] of (raw ?? y).entries()) {
      const place = x[at] ?? 0;
      if (value === null || place < from || place > to || (isLog && value <= 0)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  if (low > high) return undefined;
  if (isLog) return low === high ? [low / 2, high * 2] : [low / 1.1, high * 1.1];
  const air = (high - low) * 0.06 || Math.abs(high) * 0.1 || 0.5;
  return [low - air, high + air];
}

/** The place of the point nearest to an x. Undefined without points. */
export function nearest(x: readonly number[], wanted: number): number | undefined {
  if (x.length === 0) return undefined;
  let [low, high] = [0, x.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  const before = low - 1;
  return before >= 0 && wanted - (x[before] ?? 0) <= (x[low] ?? 0) - wanted ? before : low;
}

/** The path of a line. A gap, or a value that a log scale cannot show, begins it anew. */
export function pathOf(
  x: readonly number[],
  y: readonly (number | null)[],
  scales: { x: Scale; y: Scale },
  isLog: boolean,
): string {
  let path = "";
  let isDown = false;
  for (const [at, value] of y.entries()) {
    if (value === null || (isLog && value <= 0)) {
      isDown = false;
      continue;
    }
    path += `${isDown ? "L" : "M"}${scales.x(x[at] ?? 0).toFixed(1)} ${scales.y(value).toFixed(1)}`;
    // A point between two gaps would be invisible.
    if (!isDown && (y[at + 1] ?? null) === null) path += "h0.01";
    isDown = true;
  }
  return path;
}
