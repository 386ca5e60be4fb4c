import { execFileSync } from "node:child_process";

import { findPython, runtimeFolder } from "../server/platform/python.ts";

/** Runs a Python measurement beside this file and reads the JSON it prints. */
export async function runPython<Result>(script: string, paths: string[] = []): Promise<Result> {
  const python = await findPython();
  if (!python) throw new Error("There is no Python from 3.11 on.");
  const output = execFileSync(python.executable, [`${import.meta.dirname}/${script}`], {
    env: { ...process.env, PYTHONPATH: [runtimeFolder, ...paths].join(":") },
  });
  return JSON.parse(output.toString()) as Result;
}
