import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { libraryFiles, requirementsOf } from "../server/features/templates/library.ts";
import { findPython } from "../server/platform/python.ts";
import { installPackages, makeEnvironment } from "./python-packages.ts";

// PyTorch alone takes longer to install than everything else together; its node is only read and compiled.
const leftOut = /^torch\b/;

/** What the nodes of the library ask for, each requirement once. */
function requirements(): string[] {
  const asked = [...libraryFiles().values()].flatMap((path) => requirementsOf(readFileSync(path, "utf8")));
  return [...new Set(asked)].filter((one) => !leftOut.test(one)).toSorted();
}

async function findFolder(): Promise<{ folder: string; executable: string } | undefined> {
  const python = await findPython();
  if (!python) return undefined;
  const key = createHash("sha256").update([python.executable, ...python.version, ...requirements()].join("\n"));
  const caches = resolve(import.meta.dirname, "..", "node_modules", ".cache", "miranda-library");
  return { folder: join(caches, key.digest("hex").slice(0, 16)), executable: python.executable };
}

/** The Python that has every package of the library, or undefined where nobody has installed it. */
export async function findLibraryPython(): Promise<string | undefined> {
  const found = await findFolder();
  const python = found && join(found.folder, "bin", "python");
  return python && existsSync(join(found.folder, "complete")) ? python : undefined;
}

/** What the tests of the library need: an environment with its packages, installed once and kept. */
export async function getLibraryEnvironment(): Promise<void> {
  const found = await findFolder();
  if (found && !(await findLibraryPython())) {
    console.log("Installing the packages of the library for its tests …");
    install(found.executable, found.folder);
  }
  if (!(await findLibraryPython()))
    console.log("The tests that run the library are left out: they need Python 3.11 and packages from pypi.org.");
}

function install(executable: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (!makeEnvironment(executable, folder) || !installPackages(folder, requirements())) return;
  // Written last, and renamed: half an environment must not count as one.
  writeFileSync(join(folder, "complete.new"), "");
  renameSync(join(folder, "complete.new"), join(folder, "complete"));
}
