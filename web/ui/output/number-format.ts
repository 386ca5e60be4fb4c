const limits = { decimals: 6, plain: 1e15 } as const;

/** A number as people read it: 0.833 for 0.8333333333333334. Exact short numbers stay as they are. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value)) return Math.abs(value) < limits.plain ? String(value) : value.toExponential(3);
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e9) return shortExponent(value);
  // Three significant digits, and three decimals for numbers above one.
  const decimals = size >= 1 ? 3 : 2 - Math.floor(Math.log10(size));
  return trimmed(value.toFixed(Math.min(decimals, limits.decimals)));
}

/** How many decimals a column needs so that its numbers align. */
export function decimalsOf(values: readonly unknown[]): number {
  let [decimals, largest] = [0, 0];
  for (const value of values) {
    if (typeof value !== "number" || !Number.isFinite(value)) continue;
    largest = Math.max(largest, Math.abs(value));
    if (Number.isInteger(value)) continue;
    const text = formatNumber(value);
    if (!text.includes("e")) decimals = Math.max(decimals, text.length - text.indexOf(".") - 1);
  }
  // Very small numbers do not widen the column: those that would round to zero keep their own digits.
  return Math.min(decimals, largest >= 0.1 ? 3 : limits.decimals);
}

/** A number of a column, with this many decimals. */
export function formatColumnNumber(value: number, decimals: number): string {
  const text = formatNumber(value);
  if (decimals === 0 || text.includes("e") || !Number.isFinite(value)) return text;
  const fixed = value.toFixed(decimals);
  return value !== 0 && Number(fixed) === 0 ? text : fixed;
}

function shortExponent(value: number): string {
  const [digits = "", exponent = ""] = value.toExponential(3).split("e");
  return `${trimmed(digits)}e${exponent}`;
}

function trimmed(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
