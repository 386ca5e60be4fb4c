import { getCredits, type Nano, roundedCredits, writeCredits } from "../billing/credits.ts";

/**
 * How many digits an amount is shown with.
 * - `short`: two decimals, four below a cent, and "< $0.0001" below that: what costs something never reads as nothing.
 * - `cents`: two decimals, and "< $0.01" below that.
 * - `all`: every digit, for prices, limits and what somebody typed.
 */
type MoneyDigits = "short" | "cents" | "all";

const cent = 10_000_000n;
const smallest = { short: 100_000n, cents: cent } as const;

/**
 * An amount of money, with the currency sign of the installation: the only place that writes one. A credit is one unit of
 * the currency. Digits are cut off, not rounded, so that nobody reads that they have, or have spent, more than it is.
 */
export function moneyText(amount: Nano | string | number, sign: string, digits: MoneyDigits = "short"): string {
  const exact = exactAmount(amount);
  const size = exact < 0n ? -exact : exact;
  const minus = exact < 0n ? "-" : "";
  if (digits !== "all" && size > 0n && size < smallest[digits]) {
    const least = `${minus}${sign}${decimals(smallest[digits], digits === "cents" ? 2 : 4)}`;
    return `${exact < 0n ? ">" : "<"} ${least}`;
  }
  const shown = digits === "all" ? 9 : size > 0n && size < cent ? 4 : 2;
  const text = decimals(size, shown);
  return `${minus}${sign}${digits === "all" ? text.replace(/(\.\d\d\d*?)0+$/, "$1") : text}`;
}

/** A share of a cost may be less than a billionth. */
function exactAmount(amount: Nano | string | number): Nano {
  if (typeof amount === "bigint") return amount;
  if (typeof amount === "string") return getCredits(amount);
  return roundedCredits(amount) || BigInt(Math.sign(amount));
}

function decimals(size: Nano, count: number): string {
  const [whole = "0", rest = ""] = writeCredits(size).split(".");
  return `${whole.replace(/\B(?=(?:\d{3})+$)/g, ",")}.${rest.slice(0, count)}`;
}
