import type { PricesNow, Rates } from "@miranda/contract/schemas/billing/prices.ts";

/** "Per hour: 0.5 credits per core, 0.05 per GB of memory, 0.1 per session" */
export function priceText(rates: Rates): string {
  return `Per hour: ${amountsText(rates)}`;
}

function amountsText({ core_hour, ram_gb_hour, hour }: Rates): string {
  const unit = Number(core_hour) === 1 ? "credit" : "credits";
  return `${Number(core_hour)} ${unit} per core, ${Number(ram_gb_hour)} per GB of memory, ${Number(hour)} per session`;
}

/** What a session costs now, and when that changes. */
export function priceSentence({ now, next }: PricesNow): string {
  const later =
    next === null
      ? ""
      : ` From ${new Date(next.from).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}: ${amountsText(next)}.`;
  return `${priceText(now)}.${later}`;
}
