import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Python {
  /** The real binary: `python3` may be a shim that costs ten times as much to start. */
  executable: string;
  version: [number, number, number];
  /** Where it and its packages live. */
  prefixes: string[];
}

/** The folder that holds the package `miranda`. */
export const runtimeFolder = resolve(import.meta.dirname, "..", "..", "runtime");

const oldest = [3, 11] as const;
const newest = 30;
const question =
  "import sys; print(sys.executable); print('%d %d %d' % sys.version_info[:3]); print(sys.prefix); print(sys.base_prefix)";

let found: Promise<Python | undefined> | undefined;

/** The newest Python from 3.11 on, looked for once: on the PATH, then where version managers keep theirs. */
export function findPython(): Promise<Python | undefined> {
  found ??= search();
  return found;
}

async function search(): Promise<Python | undefined> {
  const named = process.env["MIRANDA_PYTHON"];
  if (named) return ask(named);
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(Boolean);
  const [plain, numbered] = await Promise.all([
    Promise.all(folders.map((folder) => ask(join(folder, "python3")))),
    firstOf([...(await managed()), ...onPath(folders)]),
  ]);
  const usable = [...plain, numbered].filter((python) => python !== undefined).filter(isRecent);
  return usable.toSorted((one, other) => compare(other.version, one.version))[0];
}

let versions: Promise<string[]> | undefined;

/**
 * The versions of Python from 3.11 on that this machine seems to have, the oldest first: read from names, because asking each takes
 * longer than a session takes to start. Found once.
 */
export function pythonVersions(): Promise<string[]> {
  versions ??= nameVersions();
  return versions;
}

async function nameVersions(): Promise<string[]> {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(Boolean);
  const names = await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])));
  const onPath = names.flat().flatMap((name) => /^python(3\.\d+)$/.exec(name)?.[1] ?? []);
  const kept = (await managed()).flatMap(({ path }) => /[/-](3\.\d+\.\d+)(?:-[^/]*)?\/bin/.exec(path)?.[1] ?? []);
  // A folder of shims names the minor version of what a version manager has.
  const rest = onPath.filter((minor) => !kept.some((version) => version.startsWith(`${minor}.`)));
  const parts = (version: string): Python["version"] => {
    const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
    return [major, minor, patch];
  };
  return [...new Set([...kept, ...rest])]
    .filter((version) => isRecent({ version: parts(version) }))
    .toSorted((one, other) => compare(parts(one), parts(other)));
}

interface Candidate {
  path: string;
  minor: number;
}

function onPath(folders: string[]): Candidate[] {
  const minors = Array.from({ length: newest - oldest[1] }, (_, at) => oldest[1] + at);
  return folders.flatMap((folder) => minors.map((minor) => ({ path: join(folder, `python3.${minor}`), minor })));
}

async function managed(): Promise<Candidate[]> {
  const roots = [join(homedir(), ".pyenv", "versions"), join(homedir(), ".local", "share", "uv", "python")];
  const lists = await Promise.all(
    roots.map(async (root) => {
      const names = await readdir(root).catch(() => []);
      return names.map((name) => ({
        path: join(root, name, "bin", "python3"),
        minor: Number(/3\.(\d+)/.exec(name)?.[1] ?? 0),
      }));
    }),
  );
  return lists.flat().filter(({ minor }) => minor >= oldest[1]);
}

/** The newest that really runs: a shim may carry the name of a version that is not there. */
async function firstOf(candidates: Candidate[]): Promise<Python | undefined> {
  for (const { path } of candidates.toSorted((one, other) => other.minor - one.minor)) {
    const python = existsSync(path) ? await ask(path) : undefined;
    if (python) return python;
  }
  return undefined;
}

async function ask(path: string): Promise<Python | undefined> {
  try {
    const { stdout } = await run(path, ["-I", "-S", "-c", question], { timeout: 10_000 });
    const [executable = "", numbers = "", ...prefixes] = stdout.trim().split("\n");
    const [major = 0, minor = 0, patch = 0] = numbers.split(" ").map(Number);
    return executable ? { executable, version: [major, minor, patch], prefixes: [...new Set(prefixes)] } : undefined;
  } catch {
    return undefined;
  }
}

function isRecent({ version }: Pick<Python, "version">): boolean {
  return compare(version, [...oldest, 0]) >= 0;
}

function compare(one: Python["version"], other: Python["version"]): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}
