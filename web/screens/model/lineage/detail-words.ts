import { oneLine } from "../../../ui/text/drawable-text.ts";

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

/** A fact as people read it: a moment in their own time and language. */
export function detailWords(value: string): string {
  if (!moment.test(value) || Number.isNaN(Date.parse(value))) return oneLine(value);
  return new Date(value).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
