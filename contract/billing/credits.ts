// Amounts of credits, exact: a whole number of billionths. The database has nine decimals, and a sum of floats would lose some.

/** Billionths of a credit. */
export type Nano = bigint;

const decimals = 9;
const unit = 10n ** BigInt(decimals);
const cent = unit / 100n;
const written = /^-?\d{1,12}(?:\.\d{1,9})?$/;

/** Reads `12`, `12.5` or `-0.000000001`. Undefined for everything else, also for more than nine decimals. */
export function readCredits(text: string): Nano | undefined {
  if (!written.test(text)) return undefined;
  const [whole = "0", rest = ""] = text.replace("-", "").split(".");
  const size = BigInt(whole) * unit + BigInt(rest.padEnd(decimals, "0"));
  return text.startsWith("-") ? -size : size;
}

/** An amount that the database wrote. */
export function getCredits(text: string): Nano {
  const amount = readCredits(text);
  if (amount === undefined) throw new Error(`Not an amount of credits: ${text}`);
  return amount;
}

/** What was measured or computed as a number, rounded to what can be charged. */
export function roundedCredits(amount: number): Nano {
  return getCredits(amount.toFixed(decimals));
}

/** All nine decimals, as the database reads and writes them. */
export function writeCredits(amount: Nano): string {
  const size = amount < 0n ? -amount : amount;
  const rest = String(size % unit).padStart(decimals, "0");
  return `${amount < 0n ? "-" : ""}${size / unit}.${rest}`;
}

export function sumCredits(amounts: Iterable<Nano>): Nano {
  let sum = 0n;
  for (const amount of amounts) sum += amount;
  return sum;
}

/** Whole credits, rounded down: 99.996 is not 100 yet. */
export function wholeCredits(amount: Nano): Nano {
  return floorDivide(amount, unit);
}

/**
 * What somebody has, as people read it: two decimals, rounded down, so that somebody with 99.996 does not read 100.00.
 * Debts are rounded down too: they look larger, not smaller.
 */
export function shownCredits(amount: Nano): string {
  return centsText(floorDivide(amount, cent));
}

/**
 * What was spent, as people read it: to the nearest cent, half a cent up. The sign changes nothing, so that a cost in a
 * chart and the same cost in a ledger look alike. Amounts below a cent keep two digits: a sample costs 0.0000012.
 */
export function shownSpend(amount: Nano): string {
  const sign = amount < 0n ? "-" : "";
  const size = amount < 0n ? -amount : amount;
  const step = size < cent ? 10n ** BigInt(Math.max(0, String(size).length - 2)) : cent;
  const rounded = ((size + step / 2n) / step) * step;
  if (rounded === 0n || rounded >= cent) return `${sign}${centsText(rounded / cent)}`;
  return `${sign}${writeCredits(rounded).replace(/^0\.(0*\d{1,2})\d*$/, "0.$1")}`;
}

/** For sizes in a picture. */
export function toNumber(amount: Nano): number {
  return Number(amount) / Number(unit);
}

function centsText(cents: Nano): string {
  const size = cents < 0n ? -cents : cents;
  const whole = String(size / 100n).replace(/\B(?=(?:\d{3})+$)/g, ",");
  return `${cents < 0n ? "-" : ""}${whole}.${String(size % 100n).padStart(2, "0")}`;
}

function floorDivide(amount: Nano, by: Nano): Nano {
  const whole = amount / by;
  return amount % by < 0n ? whole - 1n : whole;
}
