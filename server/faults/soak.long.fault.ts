import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { expect, it } from "vitest";

it("loses nothing in three minutes of the soak", { timeout: 600_000 }, async () => {
  const root = resolve(import.meta.dirname, "..", "..");
  const soak = spawn(process.execPath, ["benchmarks/soak/soak.ts", "3"], { cwd: root, stdio: "inherit" });
  const [code] = (await once(soak, "exit")) as [number | null];
  expect(code, "test-results/soak/report.md says what was lost").toBe(0);
});
