import { logLevels, logs } from "./limits.ts";
import type { LogEntry } from "./schemas/processors.ts";

const knownLevels: readonly number[] = Object.values(logLevels);

/** Consecutive entries of one level become one, which keeps the id and time of the first. */
export function mergeLogs(entries: readonly LogEntry[]): LogEntry[] {
  const merged: LogEntry[] = [];
  let first: LogEntry | undefined;
  let messages: string[] = [];
  const close = (): void => {
    if (first) merged.push(messages.length === 1 ? first : { ...first, message: join(messages) });
  };
  for (const entry of entries) {
    if (first?.tag === entry.tag) {
      messages.push(entry.message);
      continue;
    }
    close();
    first = entry;
    messages = [entry.message];
  }
  close();
  return merged;
}

// A message may or may not bring its own newline; a second one would show as an empty line.
function join(messages: readonly string[]): string {
  const last = messages.length - 1;
  return messages.map((message, at) => (at === last || message.endsWith("\n") ? message : `${message}\n`)).join("");
}

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
