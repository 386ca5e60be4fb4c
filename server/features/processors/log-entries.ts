import type { LogEntry } from "@miranda/contract/schemas/processors.ts";

/** As stored: first line, how many lines, level, time, text. */
export type StoredEntry = [first: number, lines: number, tag: number, at: number, text: string];

// An entry is what a client lays out at once, so a flood comes in pieces.
const entryCharacters = 64_000;

/** Text of one level as entries that are each small enough, numbered from `first` on. */
export function toEntries(first: number, tag: number, at: number, text: string): StoredEntry[] {
  const entries: StoredEntry[] = [];
  let line = first;
  for (let start = 0; start <= text.length;) {
    let end = text.length;
    if (end - start > entryCharacters) {
      const newline = text.lastIndexOf("\n", start + entryCharacters);
      end = newline > start ? newline : text.indexOf("\n", start);
      if (end === -1) end = text.length;
    }
    const part = text.slice(start, end);
    const lines = countLines(part);
    entries.push([line, lines, tag, at, part]);
    line += lines;
    start = end + 1;
  }
  return entries;
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

export function toLogEntry([first, , tag, at, text]: StoredEntry): LogEntry {
  return { id: first, timestamp: new Date(at).toISOString(), tag, message: text };
}

/** What of an entry comes after a line; undefined when nothing does. */
export function after(entry: StoredEntry, line: number): StoredEntry | undefined {
  const [first, lines, tag, at, text] = entry;
  if (first > line) return entry;
  const skip = line - first + 1;
  if (skip >= lines) return undefined;
  return [line + 1, lines - skip, tag, at, text.split("\n").slice(skip).join("\n")];
}

export function shorten(entry: LogEntry, most: number | undefined): LogEntry {
  return most === undefined || entry.message.length <= most
    ? entry
    : { ...entry, message: entry.message.slice(0, most).toWellFormed() };
}
