import { breakpointLines, type Breakpoints, changeBreakpoint } from "../debugger/breakpoint-list.ts";
import { debugging } from "@miranda/contract/limits.ts";

import { readStored, removeStored, writeStored } from "../../storage.ts";
import type { ProcessorStore } from "./processor-store.ts";

const keyOf = (graphId: string) => `breakpoints:${graphId}`;

type Kept = Partial<Record<"line" | "condition" | "log", unknown>>;

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= debugging.conditionMax;
}

/** The breakpoints a person set in this graph, as they were when the page was left. */
export function rememberedBreakpoints(graphId: string): Breakpoints {
  let breakpoints: Breakpoints = {};
  try {
    const stored = JSON.parse(readStored(keyOf(graphId)) ?? "{}") as Record<string, unknown>;
    for (const [wobId, lines] of Object.entries(stored))
      for (const kept of Array.isArray(lines) ? (lines as unknown[]) : []) {
        const { line, condition, log } = (typeof kept === "object" && kept !== null ? kept : { line: kept }) as Kept;
        if (!Number.isSafeInteger(line) || !Number.isSafeInteger(Number(wobId))) continue;
        const extras = { ...(isText(condition) && { condition }), ...(isText(log) && { log }) };
        breakpoints = changeBreakpoint(breakpoints, Number(wobId), line as number, extras);
      }
  } catch {
    return {};
  }
  return breakpoints;
}

export function keepBreakpoints(graphId: string, store: ProcessorStore): () => void {
  let kept = store.get().debugging.breakpoints;
  return store.watch(() => {
    const { breakpoints } = store.get().debugging;
    if (breakpoints === kept) return;
    kept = breakpoints;
    const lines = breakpointLines(store.ownBreakpoints());
    if (Object.keys(lines).length === 0) removeStored(keyOf(graphId));
    else writeStored(keyOf(graphId), JSON.stringify(lines));
  });
}
