import { processor } from "@miranda/contract/limits.ts";

import { readEarlierLog } from "../../../api/jobs/jobs.ts";
import type { LineStore } from "./line-store.ts";

const minLines = 10_000;
const maxLines = 100_000;

/** Whether the log has lines before the loaded ones: a log's first line has the number 1. */
export function hasEarlier(store: LineStore): boolean {
  return store.size() > 0 && store.firstId() > 1 && store.size() < processor.logLinesMax;
}

/** Fetches the lines before the loaded ones, more each time. False when there were none, as in a log that was cut. */
export async function earlierLines(store: LineStore, jobId: string): Promise<boolean> {
  const before = store.firstId();
  const lines = Math.min(maxLines, Math.max(minLines, store.size()));
  store.prepend(await readEarlierLog(jobId, before, lines));
  return store.firstId() < before;
}
