import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

type Frame = NodeJS.CallSite & { toString(): string };
type PrepareStack = (error: Error, frames: Frame[]) => string;

/**
 * Stacks name lines of the sources and not of the bundle. Its maps are read with the first stack that somebody looks at: Node's
 * own way reads them all at each start, and keeps them.
 */
export function nameSourceLines(folder: string): void {
  const maps = new Map<string, SourceMap | undefined>();

  function mapOf(file: string): SourceMap | undefined {
    if (!maps.has(file)) maps.set(file, readMap(file));
    return maps.get(file);
  }

  function describe(frame: Frame): string {
    const name = frame.getFileName();
    if (!name?.startsWith("file:")) return frame.toString();
    const file = fileURLToPath(name);
    if (!file.startsWith(folder)) return frame.toString();
    const found = mapOf(file)?.findEntry((frame.getLineNumber() ?? 1) - 1, (frame.getColumnNumber() ?? 1) - 1);
    if (!found || !("originalSource" in found)) return frame.toString();
    const place = `${resolve(dirname(file), found.originalSource)}:${found.originalLine + 1}:${found.originalColumn + 1}`;
    const called = frame.getFunctionName();
    return called === null ? place : `${called} (${place})`;
  }

  const prepare: PrepareStack = (error, frames) => [describeError(error), ...frames.map(describe)].join("\n    at ");
  Error.prepareStackTrace = prepare;
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")));
  } catch {
    return undefined;
  }
}

/** An error of other code may throw when it is asked for its name. */
function describeError(error: Error): string {
  try {
    return String(error);
  } catch {
    return "Error";
  }
}
