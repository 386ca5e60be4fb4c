import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";

const Failure = z.object({ name: z.string(), reason: z.string() });
export type Failure = z.infer<typeof Failure>;

const FileTime = z.object({ name: z.string(), seconds: z.number() });
export type FileTime = z.infer<typeof FileTime>;

/** What a runner leaves behind for the end of the test command: how much passed, what failed and why, how long each file took. */
const Results = z.object({ passed: z.number(), failures: z.array(Failure), files: z.array(FileTime) });
export type Results = z.infer<typeof Results>;

/** Where a reporter writes its results: the test command sets it for each runner it starts. */
export const RESULTS_VARIABLE = "MIRANDA_TEST_RESULTS";

export function writeResults(results: Results): void {
  const path = process.env[RESULTS_VARIABLE];
  if (path) writeFileSync(path, JSON.stringify(results));
}

export function readResults(path: string): Results | null {
  try {
    return Results.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return null;
  }
}
