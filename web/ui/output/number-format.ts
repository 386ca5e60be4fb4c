const most = { decimals: 6, plain: 1e15 } as const;

/** A number as people read it: 0.833 for 0.8333333333333334. What is exact stays as it is. */
export function plainNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value)) return Math.abs(value) < most.plain ? String(value) : value.toExponential(3);
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e9) return shortExponent(value);
  // Three digits that say something, and never fewer than three after the point of a larger one.
  const decimals = size >= 1 ? 3 : 2 - Math.floor(Math.log10(size));
  return trimmed(value.toFixed(Math.min(decimals, most.decimals)));
}

/** How many digits after the point a column needs so that its numbers stand below each other. */
export function decimalsOf(values: readonly unknown[]): number {
  let [decimals, largest] = [0, 0];
  for (const value of values) {
    if (typeof value !== "number" || !Number.isFinite(value)) continue;
    largest = Math.max(largest, Math.abs(value));
    if (Number.isInteger(value)) continue;
    const words = plainNumber(value);
    if (!words.includes("e")) decimals = Math.max(decimals, words.length - words.indexOf(".") - 1);
  }
  // The small ones of a column do not stretch it: what would be nothing in it keeps digits of its own.
  return Math.min(decimals, largest >= 0.1 ? 3 : most.decimals);
}

/** A number of a column with that many digits after the point. */
export function columnNumber(value: number, decimals: number): string {
  const words = plainNumber(value);
  if (decimals === 0 || words.includes("e") || !Number.isFinite(value)) return words;
  const fixed = value.toFixed(decimals);
  return value !== 0 && Number(fixed) === 0 ? words : fixed;
}

function shortExponent(value: number): string {
  const [digits = "", exponent = ""] = value.toExponential(3).split("e");
  return `${trimmed(digits)}e${exponent}`;
}

function trimmed(words: string): string {
  return words.includes(".") ? words.replace(/\.?0+$/, "") : words;
}
