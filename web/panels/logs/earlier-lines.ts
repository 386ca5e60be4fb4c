import { processor } from "@miranda/contract/limits.ts";

import { readEarlierLog } from "../../api/jobs.ts";
import type { LineStore } from "./line-store.ts";

const leastLines = 10_000;
const mostLines = 100_000;

/** Whether a log has lines before those that are here: a log's first line has the number 1. */
export function hasEarlier(store: LineStore): boolean {
  return store.size() > 0 && store.firstId() > 1 && store.size() < processor.logLinesMax;
}

/** Fetches the lines before those that are here, more of them each time. False when there were none, as in a log that was cut. */
export async function earlierLines(store: LineStore, jobId: string): Promise<boolean> {
  const before = store.firstId();
  const lines = Math.min(mostLines, Math.max(leastLines, store.size()));
  store.prepend(await readEarlierLog(jobId, before, lines));
  return store.firstId() < before;
}
