import { relativeTime as limits } from "@miranda/contract/limits.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How long ago something was. A time in the future is 'now': the clocks of two machines differ a little. */
export function relativeTime(time: string | number | Date, now: number = Date.now(), locale?: string): string {
  const then = new Date(time);
  const age = now - then.getTime();
  if (Number.isNaN(age)) return "";
  if (age < limits.now) return "now";
  if (age < hour) return ago(age / minute, "minute");
  if (age < day) return ago(age / hour, "hour");
  if (age <= limits.days) return ago(age / day, "day");
  return then.toLocaleDateString(locale);
}

function ago(amount: number, unit: string): string {
  const whole = Math.floor(amount);
  return `${whole} ${unit}${whole === 1 ? "" : "s"} ago`;
}
