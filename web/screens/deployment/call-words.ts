import { Clock } from "lucide-react";

import type { CallState, CallSummary, CallVia } from "@miranda/contract/schemas/deployments/calls.ts";

import { type Look, runLooks } from "../../panels/runs/run-looks.ts";
import { personName } from "../../panels/runs/run-words.ts";
import { oneLine } from "../../ui/text/drawable-text.ts";

/** A call is a run, and waits before it is one. */
export const callLooks: Readonly<Record<CallState, Look>> = {
  queued: { word: "Waiting", icon: Clock, tone: "neutral", colour: "var(--ink-faint)", sign: "…" },
  ...runLooks,
};

export const viaWords: Readonly<Record<CallVia, string>> = {
  explorer: "Explorer",
  api: "API",
  webhook: "Webhook",
  mcp: "Assistant",
  schedule: "Schedule",
  link: "Public link",
};

export function callerWords({ by, via }: Pick<CallSummary, "by" | "via">): string {
  if (by) return personName(by);
  return via === "link" ? "A visitor" : via === "webhook" ? "A program" : "A deleted account";
}

/** "city: Oslo, days: 3". */
export function inputWords(inputs: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(inputs).map(([name, value]) => `${name}: ${valueWords(value)}`);
  return oneLine(entries.join(", "));
}

function valueWords(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "object" && value !== null && "name" in value && typeof value.name === "string")
    return value.name;
  return JSON.stringify(value);
}
