import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { findPython } from "../server/platform/python.ts";
import type { Measurement } from "./measuring/measurement.ts";
import { runPython } from "./measuring/python-bench.ts";

interface Times {
  sleeping: number;
  plain: [apart: number, together: number];
  numpy: [apart: number, together: number];
  crossing: number;
  copy: number;
}

function compare(name: string, [apart, together]: [number, number]): Measurement {
  return {
    name,
    ours: `${together.toFixed(2)} s`,
    bare: `${apart.toFixed(2)} s (one after the other)`,
    ratio: `${(together / apart).toFixed(2)} x`,
    budget: "<= 0.6 x",
    passes: together / apart <= 0.6,
  };
}

/** Compares two branches at once with the same two one after the other. Installs numpy into a temporary folder. */
export async function parallel(): Promise<Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), "miranda-bench-numpy-"));
  try {
    const python = await findPython();
    if (!python) throw new Error("no Python");
    const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", folder, "numpy"];
    execFileSync(python.executable, install, { stdio: ["ignore", "ignore", "inherit"] });
    const times = await runPython<Times>("parallel.py", [folder]);
    return [
      {
        name: "two nodes that sleep for 2 s",
        ours: `${times.sleeping.toFixed(2)} s`,
        bare: "2 s",
        ratio: `${(times.sleeping / 2).toFixed(2)} x`,
        budget: "<= 2.3 s",
        passes: times.sleeping <= 2.3,
      },
      compare("two nodes that compute with numpy", times.numpy),
      compare("two nodes that compute in plain Python", times.plain),
      {
        name: "an array of 100 MB to another process",
        ours: `${(times.crossing * 1e3).toFixed(0)} ms`,
        bare: `${(times.copy * 1e3).toFixed(0)} ms (a copy into shared memory)`,
        ratio: `${(times.crossing / times.copy).toFixed(2)} x`,
        budget: "<= 1.3 x",
        passes: times.crossing / times.copy <= 1.3,
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
