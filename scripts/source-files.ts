import { readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "..");

const parts = ["contract", "server", "web", "e2e", "scripts", "benchmarks", "runtime"];
const source = /\.(ts|tsx|py|sql)$/;

/** Every source file of the repository, by its path from the root. */
export function sourceFiles(): string[] {
  return parts.flatMap((part) =>
    readdirSync(join(root, part), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && source.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      // pip leaves copies of the runtime in runtime/build.
      .filter((path) => !path.includes("node_modules") && !path.startsWith("runtime/build/")),
  );
}
