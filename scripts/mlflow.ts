import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { findPython } from "../server/platform/python.ts";
import { installPackages, makeEnvironment, pip } from "./python-packages.ts";

const folder = resolve(import.meta.dirname, "..", "node_modules", ".cache", "mlflow");
/** A later 3.x misses a package that it depends on. */
const wanted = { "2": "mlflow==2.22.*", "3": "mlflow==3.17.2" } as const;

export type MlflowVersion = keyof typeof wanted;
export const mlflowVersions: readonly MlflowVersion[] = ["2", "3"];

/** The Python that has this version of MLflow, and scikit-learn. */
export const mlflowPython = (version: MlflowVersion): string => join(folder, version, "bin", "python");

/** The packages of 3.x as PyPI has them, and uv, which installs them for nodes. */
export const mlflowWheels = join(folder, "wheels");

const note = (version: MlflowVersion): string => join(folder, version, `${wanted[version]} is installed`);
const wheelsNote = join(mlflowWheels, `${wanted["3"]} is downloaded`);

export const hasMlflow = (): boolean =>
  mlflowVersions.every((version) => existsSync(note(version))) && existsSync(wheelsNote);

/** Installs the clients that the tests of tracking use, into a folder of their own. */
export async function getMlflow(): Promise<void> {
  const python = await findPython();
  mkdirSync(mlflowWheels, { recursive: true });
  for (const version of python ? mlflowVersions : []) {
    if (existsSync(note(version)) || !python) continue;
    console.log(`Installing ${wanted[version]} from PyPI for the tests of tracking …`);
    const environment = join(folder, version);
    const packages = [wanted[version], "scikit-learn"];
    if (makeEnvironment(python.executable, environment) && installPackages(environment, packages))
      writeFileSync(note(version), "");
  }
  if (existsSync(note("3")) && !existsSync(wheelsNote)) {
    const { stdout } = spawnSync(mlflowPython("3"), ["-m", "pip", "freeze"], { encoding: "utf8" });
    if (pip(join(folder, "3"), ["download", "--no-deps", "-d", mlflowWheels, "uv", ...stdout.trim().split("\n")]))
      writeFileSync(wheelsNote, "");
  }
  if (!hasMlflow())
    console.log("The tests with MLflow's own client are left out: it could not be installed from PyPI.");
}
