import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** All files in a folder, and in the folders in it. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/**
 * A hash of what these files contain. They are read once: as long as all look the same, it is remembered in the file `memory`,
 * because every start asks for it.
 */
export function fingerprintOf(root: string, given: readonly string[], memory: string): string {
  const files = [...given].sort();
  const looks = hashOf(files.map(looksOf));
  const [knownLooks, known] = (read(memory)?.toString() ?? "").split(" ");
  if (knownLooks === looks && known) return known;
  const hash = hashOf(files.flatMap((file) => [file.slice(root.length), read(file) ?? ""]));
  try {
    mkdirSync(dirname(memory), { recursive: true });
    writeFileSync(memory, `${looks} ${hash}`);
  } catch {
    // A folder that may not be written to: they are read at each start.
  }
  return hash;
}

/** What changes with a file, without reading it. */
function looksOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? `${file}:${found.size}:${found.mtimeMs}` : file;
}

function read(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function hashOf(parts: Iterable<string | Buffer>): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex").slice(0, 32);
}
