import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";

import { processesOf } from "../testing/engine-under-test.ts";
import { script, type Workbench } from "../testing/workbench.ts";

const words = "The session was ended: the disk that holds the logs is full.";
export const flood = script("import os", "while True: print(os.urandom(500).hex())");

/** A disk of its own; only root may make one. */
export function smallDisk(megabytes: number): string {
  const folder = mkdtempSync(join(tmpdir(), "miranda-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=755`, "tmpfs", folder]);
  onTestFinished(() => {
    execFileSync("umount", ["--lazy", folder]);
    rmSync(folder, { recursive: true });
  });
  return folder;
}

export async function expectEnded(bench: Workbench): Promise<void> {
  const since = bench.listener.received.length;
  await bench.send("start", "-1");
  await bench.state(since, "ERROR");
  expect(bench.receivedLines().at(-1)?.text).toBe(words);
  await expect.poll(async () => (await processesOf(bench.jobId)).length, { timeout: 15_000 }).toBe(0);
  // What was written before can still be read.
  expect((await bench.lines()).length).toBeGreaterThan(1_000);
  expect((await bench.job()).workflow_state).toBe("ERROR");
}
