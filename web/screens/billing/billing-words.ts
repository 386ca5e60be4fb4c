import { getCredits, type Nano } from "@miranda/contract/billing/credits.ts";
import type { LedgerEntry, LedgerTotals, SpendingGrouping } from "@miranda/contract/schemas/billing/spending.ts";

import { dayOf } from "../../format/spending-range.ts";

const sourceWords: Record<string, string> = {
  session: "Session",
  call: "Deployment call",
  schedule: "Schedule",
};

const kindWords: Record<LedgerEntry["kind"], string> = {
  usage: "Usage",
  grant: "Credits granted",
  trial: "Trial credits",
  opening: "Opening balance",
  fill: "Added to a project",
  return: "Returned by a project",
  correction: "Credits taken back",
};

/** As seen from the project. */
const projectKindWords: Record<LedgerEntry["kind"], string> = {
  ...kindWords,
  fill: "Credits added",
  return: "Credits returned",
};

export const kindWord = (kind: LedgerEntry["kind"], isProject: boolean): string =>
  (isProject ? projectKindWords : kindWords)[kind];

export const groupingWords: Record<SpendingGrouping, string> = {
  project: "Project",
  workflow: "Workflow",
  person: "Person",
  kind: "Kind",
};

export const groupingPlurals: Record<SpendingGrouping, string> = {
  project: "Projects",
  workflow: "Workflows",
  person: "People",
  kind: "Kinds",
};

const without: Record<SpendingGrouping, string> = {
  project: "Apps of others",
  workflow: "No workflow",
  person: "Visitors and waiting",
  kind: "Other",
};

/** The name of a part of the chart. */
export function partName(by: SpendingGrouping, { name, isRest }: { name: string; isRest: boolean }): string {
  if (isRest) return "All others";
  return (by === "kind" ? sourceWords[name] : name) || without[by];
}

const hasNoteInTitle = (kind: LedgerEntry["kind"]): boolean => kind === "grant" || kind === "correction";

export function entryTitle({ kind, source, workflow, note }: LedgerEntry, isProject: boolean): string {
  const word = kindWord(kind, isProject);
  if (kind === "usage") return workflow?.name || sourceWords[source] || word;
  return note && hasNoteInTitle(kind) ? `${word}: ${note}` : word;
}

/** What else is known of an entry, in one line. */
export function entryDetail(entry: LedgerEntry, isProject: boolean): string {
  const { kind, source, project, person, purse, note } = entry;
  const where = isProject ? "" : project?.name;
  const known = [kind === "usage" ? sourceWords[source] : "", startText(entry), where, person && `by ${person}`];
  const paid = purse ? "paid by the project" : "";
  return [...known, kind === "usage" ? paid : "", hasNoteInTitle(kind) ? "" : note].filter(Boolean).join(" · ");
}

/** When the session of an entry began, with the day if that is another one. */
function startText({ source, day, time_started: time }: LedgerEntry): string {
  if (time === null) return "";
  const start = new Date(time);
  const clock = start.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  const startDay = dayOf(start);
  const text = startDay === day ? clock : `${dayText(startDay, true)}, ${clock}`;
  return source === "session" ? `started ${text}` : `session started ${text}`;
}

/** A moment in the reader's time zone. */
export function momentText(time: string): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** Names and amounts of what the entries of a project add up to. Its spending has no common sum with its credits. */
export function projectTotals({ spent, purse_spent, purse_added, purse_returned }: LedgerTotals) {
  const totals = [
    { name: "Spent", amount: spent },
    { name: "Paid by the project", amount: purse_spent },
    { name: "Credits added", amount: purse_added },
    { name: "Credits returned", amount: purse_returned },
  ];
  return totals.filter(({ amount }) => getCredits(amount) !== 0n);
}

/** Compares this month with the same part of last month, in words. */
export function comparison(spent: string, before: string): string {
  const [now, then] = [getCredits(spent), getCredits(before)];
  if (then === 0n) return now === 0n ? "Nothing last month either" : "Nothing in the same part of last month";
  const percent = percentOf(now - then, then);
  if (percent === 0) return "As much as in the same part of last month";
  return `${Math.abs(percent)} % ${percent > 0 ? "more" : "less"} than in the same part of last month`;
}

export function percentOf(part: Nano, all: Nano): number {
  return all === 0n ? 0 : Number((part * 100n) / all);
}

/** Noon, so that no time zone shows the day before. */
export function dayText(day: string, isShort = false): string {
  const short = { day: "numeric", month: "short" } as const;
  const date = new Date(`${day}T12:00:00`);
  return date.toLocaleDateString(undefined, isShort ? short : { ...short, weekday: "short", year: "numeric" });
}
