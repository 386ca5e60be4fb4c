import { processor } from "@miranda/contract/limits.ts";
import type { LogEntry } from "@miranda/contract/schemas/processors.ts";

import type { LineStore } from "./line-store.ts";

const step = 4;

/** Whether a log has lines before those that are here: a log's first line has the number 1. */
export function hasEarlier(store: LineStore): boolean {
  return store.size() > 0 && store.firstId() > 1 && store.size() < processor.logLinesMax;
}

/** Fetches the log again, longer. False when there was nothing earlier, as in a log that was cut. */
export async function earlierLines(store: LineStore, read: (lines: number) => Promise<LogEntry[]>): Promise<boolean> {
  const before = store.firstId();
  store.extend(await read(Math.min(processor.logLinesMax, Math.max(10_000, store.size() * step))));
  return store.firstId() < before;
}
