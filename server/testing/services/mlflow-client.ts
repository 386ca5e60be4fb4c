import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { mlflowPython, type MlflowVersion } from "../../../scripts/mlflow.ts";

export interface ClientRun {
  code: number;
  /** What it printed, and what it warned of. */
  output: string;
  errors: string;
}

interface Tracking {
  uri: string;
  token: string;
}

/** Runs a Python program with MLflow's own client, on a laptop that knows the tracking server and nothing else. */
export async function runClient(
  version: MlflowVersion,
  program: { file: string } | { code: string },
  { uri, token }: Tracking,
): Promise<ClientRun> {
  const home = await mkdtemp(join(tmpdir(), "miranda-mlflow-"));
  const args = "file" in program ? [program.file] : ["-c", program.code];
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    MLFLOW_TRACKING_URI: uri,
    MLFLOW_TRACKING_TOKEN: token,
    MLFLOW_DISABLE_TELEMETRY: "true",
    // A refused call must fail the test at once.
    MLFLOW_HTTP_REQUEST_MAX_RETRIES: "2",
    PYTHONWARNINGS: "ignore",
  };
  try {
    return await new Promise((resolve) => {
      const options = { cwd: home, env, maxBuffer: 64 << 20 };
      execFile(mlflowPython(version), args, options, (error, output, errors) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, output, errors }),
      );
    });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Where this version of MLflow and its packages are, for node code. */
export const packagesOf = (version: MlflowVersion, python: readonly number[]): string =>
  join(mlflowPython(version), "..", "..", "lib", `python${python.slice(0, 2).join(".")}`, "site-packages");
