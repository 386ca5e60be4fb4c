import { execFile } from "node:child_process";
import { cp, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { findPython, runtimeFolder } from "../../platform/python.ts";

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const question = "import json, site; print(json.dumps(site.getsitepackages()))";

/** Where a language server finds things. It can read these folders and nothing else of the machine. */
export interface LanguageFolder {
  /** Empty but for the settings: the code of nodes is only ever told, never written. */
  workspace: string;
  /** What node code can import, beside Python itself: the package `miranda`. */
  packages: string;
  /** What else is installed for processors. */
  sitePackages: string[];
  /** Where copies of what node setups have installed are, by project. */
  environments: string;
  /** Pyright itself, with the declarations of Python's own library. */
  pyright: string;
}

// What surely fails is an error, what the types only make likely is a warning, and what is a matter of taste is not said:
// `re.match(...).group()` is normal node code.
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
  // A copy, not a link: pyright goes to where a link leads, and what is beside the package there is not for it.
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
    const found = JSON.parse(stdout) as string[];
    const real = await Promise.all(found.map((one) => realpath(one).catch(() => undefined)));
    return real.filter((one) => one !== undefined);
  } catch {
    return [];
  }
}

/** What node code of a workflow imports from: what its own setups installed comes first, as it does when it runs. */
export function importRoots({ packages, sitePackages }: LanguageFolder, installed: string[]): string[] {
  return [...installed, packages, ...sitePackages];
}

export function fileUri(folder: string, name = ""): string {
  return pathToFileURL(name ? join(folder, name) : folder).href;
}
