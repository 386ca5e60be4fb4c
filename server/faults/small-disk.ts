import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";

import { script, type Workbench } from "../testing/workbench.ts";

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

/** Waits until nothing more of a session that prints without end is stored: it waits, and is not ended. */
export async function expectWaiting(bench: Workbench): Promise<void> {
  await bench.until("start", "-1", "RUNNING");
  let last = 0;
  await expect
    .poll(
      async () => {
        const before = last;
        last = bench.receivedLines().at(-1)?.id ?? 0;
        return last > 0 && last === before;
      },
      { timeout: 60_000, interval: 3_000 },
    )
    .toBe(true);
  expect((await bench.job()).workflow_state).toBe("RUNNING");
  // What was written before can still be read.
  expect((await bench.lines()).length).toBeGreaterThan(1_000);
}
