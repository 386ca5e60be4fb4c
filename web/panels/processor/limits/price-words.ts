import type { PricesNow, Rates } from "@miranda/contract/schemas/billing/prices.ts";

type Money = (amount: string, digits: "all") => string;

/** "Per hour: $0.50 per core, $0.05 per GB of memory, $0.10 per session" */
export function priceText(rates: Rates, money: Money): string {
  return `Per hour: ${amountsText(rates, money)}`;
}

function amountsText({ core_hour, ram_gb_hour, hour }: Rates, money: Money): string {
  const [core, memory, session] = [core_hour, ram_gb_hour, hour].map((amount) => money(amount, "all"));
  return `${core} per core, ${memory} per GB of memory, ${session} per session`;
}

/** What a session costs now, and when that changes. */
export function priceSentence({ now, next }: PricesNow, money: Money): string {
  const later =
    next === null
      ? ""
      : ` From ${new Date(next.from).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}: ${amountsText(next, money)}.`;
  return `${priceText(now, money)}.${later}`;
}
