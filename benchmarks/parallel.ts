import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { findPython } from "../server/platform/python.ts";
import type { Measurement } from "./measurement.ts";
import { runPython } from "./python-bench.ts";

/** Compares two branches in parallel with the same two one after the other. Installs numpy into a temporary folder. */
export async function parallel(): Promise<Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), "miranda-bench-numpy-"));
  try {
    const python = await findPython();
    if (!python) throw new Error("no Python");
    const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", folder, "numpy"];
    execFileSync(python.executable, install, { stdio: ["ignore", "ignore", "inherit"] });
    const { sleeping, apart, together } = await runPython<{ sleeping: number; apart: number; together: number }>(
      "parallel.py",
      [folder],
    );
    return [
      {
        name: "two nodes that sleep for 2 s",
        ours: `${sleeping.toFixed(2)} s`,
        bare: "2 s",
        ratio: `${(sleeping / 2).toFixed(2)} x`,
        budget: "<= 2.3 s",
        passes: sleeping <= 2.3,
      },
      {
        name: "two nodes that compute with numpy",
        ours: `${together.toFixed(2)} s`,
        bare: `${apart.toFixed(2)} s (one after the other)`,
        ratio: `${(together / apart).toFixed(2)} x`,
        budget: "<= 0.65 x",
        passes: together / apart <= 0.65,
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
