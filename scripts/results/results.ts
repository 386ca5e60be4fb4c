import { readFileSync, writeFileSync } from "node:fs";

/** What a runner leaves behind for the end of the test command: how much passed, and what failed and why. */
export interface Results {
  passed: number;
  failures: Failure[];
}

export interface Failure {
  name: string;
  reason: string;
}

/** Where a reporter writes its results: the test command sets it for each runner it starts. */
export const RESULTS_VARIABLE = "MIRANDA_TEST_RESULTS";

export function writeResults(results: Results): void {
  const path = process.env[RESULTS_VARIABLE];
  if (path) writeFileSync(path, JSON.stringify(results));
}

export function readResults(path: string): Results | null {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Results;
  } catch {
    return null;
  }
}
