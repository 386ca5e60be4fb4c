import { logLevels, logs } from "@miranda/contract/limits.ts";

const knownLevels: readonly number[] = Object.values(logLevels);

/** The test of the filter box: a case-insensitive pattern. An invalid pattern matches everything. */
export function logMatcher(pattern: string): (message: string) => boolean {
  if (pattern === "") return () => true;
  try {
    const expression = new RegExp(pattern, "i");
    return (message) => expression.test(message);
  } catch {
    return () => true;
  }
}

/** The stored selection of levels. An empty selection is valid; an invalid one gives the default. */
export function readLogLevels(stored: string | null): number[] {
  if (stored === null) return [...logs.defaultLevels];
  if (stored === "") return [];
  const levels = stored.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  return levels.every((level) => knownLevels.includes(level)) ? [...new Set(levels)] : [...logs.defaultLevels];
}

export function writeLogLevels(levels: readonly number[]): string {
  return levels.toSorted((one, other) => one - other).join(",");
}
