import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { findPython } from "../server/platform/python.ts";

const folder = resolve(import.meta.dirname, "..", "node_modules", ".cache", "mlflow");
/** A later 3.x misses a package that it depends on. */
const wanted = { "2": "mlflow==2.22.*", "3": "mlflow==3.17.2" } as const;

export type MlflowVersion = keyof typeof wanted;
export const mlflowVersions: readonly MlflowVersion[] = ["2", "3"];

/** The Python that has this version of MLflow, and scikit-learn. */
export const mlflowPython = (version: MlflowVersion): string => join(folder, version, "bin", "python");

const note = (version: MlflowVersion): string => join(folder, version, `${wanted[version]} is installed`);

export const hasMlflow = (): boolean => mlflowVersions.every((version) => existsSync(note(version)));

/** Installs the clients that the tests of tracking use, into a folder of their own. */
export async function getMlflow(): Promise<void> {
  const python = await findPython();
  mkdirSync(folder, { recursive: true });
  for (const version of python ? mlflowVersions : []) {
    if (existsSync(note(version)) || !python) continue;
    console.log(`Installing ${wanted[version]} from PyPI for the tests of tracking …`);
    const environment = spawnSync(python.executable, ["-m", "venv", "--clear", join(folder, version)]);
    const packages = ["-m", "pip", "install", "-q", "--disable-pip-version-check", wanted[version], "scikit-learn"];
    const { status } =
      environment.status === 0 ? spawnSync(mlflowPython(version), packages, { stdio: "inherit" }) : environment;
    if (status === 0) writeFileSync(note(version), "");
  }
  if (!hasMlflow())
    console.log("The tests with MLflow's own client are left out: it could not be installed from PyPI.");
}
