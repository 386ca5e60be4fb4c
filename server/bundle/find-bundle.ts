import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

import { safely } from "../platform/errors/safely.ts";
import { filesIn, fingerprintOf } from "./fingerprint.ts";

// Runs at each start, before anything else is loaded: it needs Node only.

export const bundlesFolder = (root: string): string => join(root, "dist", "server");

/** The name of the bundle of what is here now. */
function nameOf(root: string): string {
  const sources = ["server", "contract"].flatMap((folder) => filesIn(join(root, folder)));
  const files = sources.filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
  const packages = join(root, "node_modules", ".package-lock.json");
  return `${fingerprintOf(root, [...files, packages], join(root, "dist", "server-sources"))}-${process.version}`;
}

/**
 * The server and its packages as a few files, which load in a sixth of the time. They are made when the sources have changed.
 * Undefined when that fails: the server runs from its sources too.
 */
export async function findBundle(root: string, announce: (line: string) => void): Promise<string | undefined> {
  const name = nameOf(root);
  const file = join(bundlesFolder(root), name, "serve.js");
  if (existsSync(file)) return file;
  announce("Building the server …");
  const problem = await build(root, name);
  if (problem === undefined) return file;
  announce(`The server could not be built. It runs from its sources and starts later. ${problem}`);
  return undefined;
}

/** In a process of its own, so that the bundler's memory is freed. What went wrong, if anything did. */
function build(root: string, name: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const builder = join(import.meta.dirname, "build-bundle.ts");
    const child = spawn(process.execPath, [builder, root, name], { stdio: ["ignore", "ignore", "pipe"] });
    let output = "";
    child.stderr.on(
      "data",
      safely((chunk) => (output += chunk)),
    );
    child.once(
      "error",
      safely((error) => resolve(error.message)),
    );
    child.once(
      "close",
      safely((code) => resolve(code === 0 ? undefined : output.trim().slice(0, 2_000))),
    );
  });
}
