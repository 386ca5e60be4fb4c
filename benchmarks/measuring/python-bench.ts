import { execFileSync } from "node:child_process";
import { join } from "node:path";

import { findPython, runtimeFolder } from "../../server/platform/python.ts";

/** Runs a Python file of the benchmarks and returns the JSON it prints. */
export async function runPython<Result>(script: string, paths: string[] = []): Promise<Result> {
  const python = await findPython();
  if (!python) throw new Error("Python 3.11 or newer was not found.");
  const output = execFileSync(python.executable, [join(import.meta.dirname, "..", script)], {
    env: { ...process.env, PYTHONPATH: [runtimeFolder, ...paths].join(":") },
  });
  return JSON.parse(output.toString()) as Result;
}
