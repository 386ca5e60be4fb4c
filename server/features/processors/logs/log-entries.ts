import type { LogEntry } from "@miranda/contract/schemas/processors.ts";

/** As stored: first line, number of lines, level, time, text, and the node that printed it if known. */
export type StoredEntry = [first: number, lines: number, tag: number, at: number, text: string, node?: number];

// A client renders an entry at once, so a flood is split.
const entryCharacters = 64_000;
// What an entry takes in an answer besides its text.
const entryOverhead = 100;

/** Splits text of one level into small entries, numbered from `first`. */
export function toEntries(first: number, tag: number, at: number, text: string, node?: number | null): StoredEntry[] {
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
    entries.push(node ? [line, lines, tag, at, part, node] : [line, lines, tag, at, part]);
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

export function toLogEntry([first, , tag, at, text, node]: StoredEntry): LogEntry {
  return { id: first, timestamp: new Date(at).toISOString(), tag, message: text, ...(node && { wob_key: node }) };
}

/** The part of an entry after a line. Undefined when there is none. */
export function after(entry: StoredEntry, line: number): StoredEntry | undefined {
  const [first, lines] = entry;
  if (first > line) return entry;
  const skip = line - first + 1;
  return skip >= lines ? undefined : part(entry, skip, lines);
}

/** The part of an entry before a line. Undefined when there is none. */
export function before(entry: StoredEntry, line: number): StoredEntry | undefined {
  const [first, lines] = entry;
  if (first + lines <= line) return entry;
  return first >= line ? undefined : part(entry, 0, line - first);
}

function part([first, , tag, at, text, node]: StoredEntry, from: number, to: number): StoredEntry {
  const lines = text.split("\n").slice(from, to);
  const message = lines.join("\n");
  const start = first + from;
  return node ? [start, lines.length, tag, at, message, node] : [start, lines.length, tag, at, message];
}

/** The last entries that have this many characters together. The oldest of them may be shortened. */
export function lastWithin(entries: readonly LogEntry[], characters: number): LogEntry[] {
  const kept: LogEntry[] = [];
  let room = characters;
  for (const entry of entries.toReversed()) {
    if (room <= 0) break;
    kept.unshift(shorten(entry, room));
    room -= entry.message.length + entryOverhead;
  }
  return kept;
}

export function shorten(entry: LogEntry, most: number | undefined): LogEntry {
  return most === undefined || entry.message.length <= most
    ? entry
    : { ...entry, message: entry.message.slice(0, most).toWellFormed() };
}
