import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { findPython } from "../server/platform/python.ts";
import { installPackages, makeEnvironment } from "./python-packages.ts";

const folder = resolve(import.meta.dirname, "..", "node_modules", ".cache", "miranda-notebooks");
const packages = [
  "nbconvert==7.*",
  "ipykernel",
  "matplotlib==3.10.*",
  "numpy==2.*",
  "pandas==2.*",
  "scikit-learn==1.*",
];
const environment = join(folder, "environment");
const fetch = resolve(import.meta.dirname, "..", "server", "features", "notebooks", "corpus", "fetch.py");
/** Their source archives have notebooks or example scripts. jupytext had some before 1.16. */
const archives = ["jupytext==1.15.2", "papermill", "nbconvert", "nbformat", "scikit-learn"];

/** Notebooks and scripts that others have published. */
export const corpusFolder = join(folder, "corpus");

const installed = join(folder, `${packages.join(" ").replaceAll("*", "x")} are installed`);
const downloaded = join(folder, `${archives.join(" ")} are downloaded`);

/** The Python that has Jupyter's nbconvert, or undefined where nobody has installed it. */
export const findNotebookPython = (): string | undefined =>
  existsSync(installed) ? join(environment, "bin", "python") : undefined;

export const hasCorpus = (): boolean => existsSync(downloaded);

/** What the tests of imported notebooks compare with: Jupyter itself, and files that others wrote. */
export async function getNotebookEnvironment(): Promise<void> {
  const python = await findPython();
  if (python && !findNotebookPython()) {
    console.log("Installing nbconvert for the tests of notebooks …");
    if (makeEnvironment(python.executable, environment) && installPackages(environment, packages))
      writeFileSync(installed, "");
  }
  const ready = findNotebookPython();
  if (ready && !hasCorpus()) {
    const { status } = spawnSync(ready, [fetch, corpusFolder, ...archives], { stdio: ["ignore", "ignore", "inherit"] });
    if (status === 0) writeFileSync(downloaded, "");
  }
  if (!ready || !hasCorpus())
    console.log("Tests that compare notebooks with Jupyter are left out: they need packages and files from pypi.org.");
}
