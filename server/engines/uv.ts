import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, openSync, readSync, realpathSync } from "node:fs";
import { access, chmod, copyFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { lastLineOf } from "../platform/errors/error-details.ts";
import { findPython } from "../platform/python.ts";
import { findProgram } from "./sandbox/programs.ts";

const run = promisify(execFile);
const timeoutMs = 300_000;
/** Without access to the package index, do not try at every run. */
const tryAgainAfter = 600_000;

/** The installer for the packages of nodes. Node code may run it but never change it. */
export interface Uv {
  /** Its path, now or once it is fetched. Undefined: use pip. */
  path: string | undefined;
  /** Starts to fetch it, unless that has begun. Until it is fetched, a file named `.coming` is beside it. */
  want(): Promise<void>;
}

interface Settings {
  dataFolder: string;
  /** The operator's setting: a path, `off`, or nothing. */
  uv: string | undefined;
  log: (line: string) => void;
}

/** The folder of programs that every session may read. */
export function toolsFolder(dataFolder: string): string {
  return join(dataFolder, "tools");
}

/** The machine's own uv. A script of that name may need files that the sandbox hides. */
export function findUv(setting: string | undefined): string | undefined {
  if (setting === "off") return undefined;
  const found = setting ?? findProgram("uv");
  if (found === undefined) return undefined;
  const path = realpathSync(found);
  return setting !== undefined || isBinary(path) ? path : undefined;
}

function isBinary(path: string): boolean {
  const start = Buffer.alloc(2);
  const file = openSync(path, "r");
  try {
    readSync(file, start, 0, 2, 0);
    return start.toString() !== "#!";
  } finally {
    closeSync(file);
  }
}

export function createUv({ dataFolder, uv, log }: Settings): Uv {
  if (uv === "off") return { path: undefined, want: async () => undefined };
  const found = findUv(uv);
  if (found !== undefined) return { path: found, want: async () => undefined };
  const folder = toolsFolder(dataFolder);
  const path = join(folder, "uv");
  const coming = `${path}.coming`;
  let begun: Promise<void> | undefined;
  let failedAt = 0;

  async function fetchIt(): Promise<void> {
    const draft = join(folder, `draft-${randomUUID()}`);
    try {
      const python = await findPython();
      if (!python) throw new Error("there is no Python");
      // A wheel only: no code of the package runs with our rights.
      const options = ["--no-deps", "--only-binary", ":all:", "--no-compile", "--no-input", "--progress-bar", "off"];
      const how = ["-q", "--retries", "1", "--disable-pip-version-check", "--root-user-action", "ignore"];
      const pip = ["-I", "-m", "pip", "install", ...how, ...options, "--target", draft, "uv"];
      await run(python.executable, pip, { timeout: timeoutMs });
      await copyFile(join(draft, "bin", "uv"), `${path}.new`);
      await chmod(`${path}.new`, 0o755);
      await rename(`${path}.new`, path);
      log("uv was installed from the package index: it installs the packages of nodes.");
    } finally {
      await rm(draft, { recursive: true, force: true });
      await rm(coming, { force: true });
    }
  }

  async function begin(): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o755 });
    const exists = await access(path).then(
      () => true,
      () => false,
    );
    if (exists) return rm(coming, { force: true });
    await writeFile(coming, "");
    void fetchIt().catch(failed);
  }

  function failed(error: unknown): void {
    failedAt = Date.now();
    begun = undefined;
    log(`uv could not be installed (${lastLineOf(error)}): pip installs the packages of nodes, which takes longer.`);
  }

  return {
    path,
    async want() {
      if (Date.now() - failedAt < tryAgainAfter) return;
      begun ??= begin().catch(failed);
      await begun;
    },
  };
}
