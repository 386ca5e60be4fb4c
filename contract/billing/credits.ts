// Amounts of credits, exact: a whole number of billionths. The database has nine decimals, and a sum of floats would lose some.

/** Billionths of a credit. */
export type Nano = bigint;

const decimals = 9;
const unit = 10n ** BigInt(decimals);
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

/** For sizes in a picture. */
export function toNumber(amount: Nano): number {
  return Number(amount) / Number(unit);
}

function floorDivide(amount: Nano, by: Nano): Nano {
  const whole = amount / by;
  return amount % by < 0n ? whole - 1n : whole;
}
