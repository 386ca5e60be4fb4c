import { breakpointLines, type Breakpoints, changeBreakpoint } from "../debugger/breakpoint-list.ts";
import { debugging } from "@miranda/contract/limits.ts";

import { isRecord } from "../../is-record.ts";
import { readStoredRecord, removeStored, writeStored } from "../../storage.ts";
import type { ProcessorStore } from "./processor-store.ts";

const keyOf = (graphId: string) => `breakpoints:${graphId}`;

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= debugging.conditionMax;
}

function isLine(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** The breakpoints a person set in this graph, as they were when the page was left. */
export function rememberedBreakpoints(graphId: string): Breakpoints {
  let breakpoints: Breakpoints = {};
  for (const [wobId, lines] of Object.entries(readStoredRecord(keyOf(graphId)))) {
    const stored: unknown[] = Array.isArray(lines) ? lines : [];
    for (const kept of stored) {
      const { line, condition, log } = isRecord(kept) ? kept : { line: kept };
      if (!isLine(line) || !Number.isSafeInteger(Number(wobId))) continue;
      const extras = { ...(isText(condition) && { condition }), ...(isText(log) && { log }) };
      breakpoints = changeBreakpoint(breakpoints, Number(wobId), line, extras);
    }
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
