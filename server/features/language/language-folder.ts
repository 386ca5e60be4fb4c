import { execFile } from "node:child_process";
import { cp, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";

import { findPython, runtimeFolder } from "../../platform/python.ts";

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const question = "import json, site; print(json.dumps(site.getsitepackages()))";

/** The folders of a language server. It can read these and nothing else of the machine. */
export interface LanguageFolder {
  /** Empty except for the settings: the code of nodes is sent, never written to disk. */
  workspace: string;
  /** What node code can import besides Python itself: the package `miranda`. */
  packages: string;
  /** Other packages installed for processors. */
  sitePackages: string[];
  /** Copies of packages that node setups have installed, by project. */
  environments: string;
  /** Pyright, with the declarations of Python's standard library. */
  pyright: string;
}

// Certain failures are errors, likely ones warnings, and matters of taste are off: `re.match(...).group()` is normal
// node code.
const rules = {
  typeCheckingMode: "basic",
  ...levels("warning", [
    "reportArgumentType",
    "reportAssignmentType",
    "reportAttributeAccessIssue",
    "reportCallIssue",
    "reportGeneralTypeIssues",
    "reportIndexIssue",
    "reportInvalidTypeForm",
    "reportMissingImports",
    "reportNoOverloadImplementation",
    "reportOperatorIssue",
    "reportRedeclaration",
    "reportReturnType",
    "reportTypedDictNotRequiredAccess",
  ]),
  ...levels("none", [
    "reportMissingModuleSource",
    "reportOptionalCall",
    "reportOptionalContextManager",
    "reportOptionalIterable",
    "reportOptionalMemberAccess",
    "reportOptionalOperand",
    "reportOptionalSubscript",
    "reportPrivateImportUsage",
  ]),
};

function levels(level: string, names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, level]));
}

export async function prepareLanguageFolder(dataFolder: string): Promise<LanguageFolder> {
  const folder = join(dataFolder, "language");
  const workspace = join(folder, "workspace");
  const packages = join(folder, "packages");
  await rm(folder, { recursive: true, force: true });
  await Promise.all([mkdir(workspace, { recursive: true }), mkdir(packages, { recursive: true })]);
  // A copy, not a link: pyright would follow it and see what is beside the package.
  await cp(join(runtimeFolder, "miranda"), join(packages, "miranda"), { recursive: true, filter: isSource });
  const python = await findPython();
  const sitePackages = python ? await sitePackagesOf(python.executable) : [];
  const settings = {
    ...rules,
    ...(python && { pythonVersion: python.version.slice(0, 2).join(".") }),
  };
  await writeFile(join(workspace, "pyrightconfig.json"), JSON.stringify(settings, null, 2));
  const real = await Promise.all([workspace, packages].map((one) => realpath(one)));
  const [realWorkspace = workspace, realPackages = packages] = real;
  const pyright = dirname(require.resolve("pyright/package.json"));
  const environments = join(dirname(realPackages), "environments");
  return { workspace: realWorkspace, packages: realPackages, sitePackages, environments, pyright };
}

const isSource = (path: string): boolean => !path.includes("__pycache__");

async function sitePackagesOf(executable: string): Promise<string[]> {
  try {
    const { stdout } = await run(executable, ["-I", "-c", question], { timeout: 10_000 });
    const found = z.array(z.string()).parse(JSON.parse(stdout));
    const real = await Promise.all(found.map((one) => realpath(one).catch(() => undefined)));
    return real.filter((one) => one !== undefined);
  } catch {
    return [];
  }
}

/** Where node code imports from, in order: packages of its own setups first, as in a run. */
export function importRoots({ packages, sitePackages }: LanguageFolder, installed: string[]): string[] {
  return [...installed, packages, ...sitePackages];
}

export function fileUri(folder: string, name = ""): string {
  return pathToFileURL(name ? join(folder, name) : folder).href;
}
