import { assertNever } from "@miranda/contract/assert-never.ts";

// The days that the page shows, as texts such as 2026-11-17.

export const ranges = [
  { value: "30", label: "Last 30 days" },
  { value: "90", label: "Last 90 days" },
  { value: "month", label: "This month" },
  { value: "before", label: "Last month" },
  { value: "365", label: "Last 365 days" },
  { value: "other", label: "Other days" },
] as const;
export type Range = (typeof ranges)[number]["value"];

export interface FirstAndLast {
  from: string;
  to: string;
}

/** Its first and last day, in the time zone of this browser. */
export function daysOfRange(range: Exclude<Range, "other">, now = new Date()): FirstAndLast {
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()];
  switch (range) {
    case "month":
      return { from: text(year, month, 1), to: text(year, month, day) };
    case "before":
      return { from: text(year, month - 1, 1), to: text(year, month, 0) };
    case "30":
    case "90":
    case "365":
      return { from: text(year, month, day - Number(range) + 1), to: text(year, month, day) };
    default:
      return assertNever(range);
  }
}

function text(year: number, month: number, day: number): string {
  // At noon: where clocks go forward at midnight, that day has no midnight and would become the day before.
  return dayOf(new Date(year, month, day, 12));
}

/** The day of a moment in the time zone of this browser. */
export function dayOf(date: Date): string {
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
}
