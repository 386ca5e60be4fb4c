import { logLevels, logs } from "@miranda/contract/limits.ts";

const knownLevels: readonly number[] = Object.values(logLevels);

/** What the filter box lets through: a case-insensitive pattern, everything while the pattern is unfinished. */
export function logMatcher(pattern: string): (message: string) => boolean {
  if (pattern === "") return () => true;
  try {
    const expression = new RegExp(pattern, "i");
    return (message) => expression.test(message);
  } catch {
    return () => true;
  }
}

/** The selected levels as they are kept in the browser. None selected is a choice too; nonsense is not. */
export function readLogLevels(stored: string | null): number[] {
  if (stored === null) return [...logs.defaultLevels];
  if (stored === "") return [];
  const levels = stored.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  return levels.every((level) => knownLevels.includes(level)) ? [...new Set(levels)] : [...logs.defaultLevels];
}

export function writeLogLevels(levels: readonly number[]): string {
  return levels.toSorted((one, other) => one - other).join(",");
}
