import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

import type { Measurement } from "./measuring/measurement.ts";

// A benchmark that nobody runs stops working unseen. Each is started with the smallest size here.

const program = join(import.meta.dirname, "measure.ts");
const names = JSON.parse(execFileSync(process.execPath, [program]).toString()) as string[];
const compared = new Set<string>();

describe("every benchmark", () => {
  it.each(names)("measures something: %s", { timeout: 300_000 }, async (name) => {
    const env = { ...process.env, BENCH_SIZE: "tiny" };
    const { stdout } = await promisify(execFile)(process.execPath, [program, name], { env, maxBuffer: 64 << 20 });
    const measured = JSON.parse(stdout) as Measurement[];
    expect(measured.length).toBeGreaterThan(0);
    for (const { name: title, ours, bare, ratio, times } of measured) {
      expect([title, ours].map((text) => text.length > 0)).toEqual([true, true]);
      expect(`${ours} ${bare} ${ratio}`).not.toMatch(/NaN|undefined|Infinity/);
      if (times !== undefined) compared.add(title);
    }
  });

  it("still has the measurements that `bench -- quick` compares", () => {
    const committed = JSON.parse(readFileSync(join(import.meta.dirname, "baseline.json"), "utf8")) as object;
    expect(Object.keys(committed).filter((title) => !compared.has(title))).toEqual([]);
  });
});
