import { graphmlLimits } from "./types.ts";

const examplesShown = 3;

export interface Notes {
  /** Adds a note once, with a count and, where given, a few examples. */
  add(text: string, options?: { example?: string; count?: number }): void;
  list(): string[];
}

export function createNotes(limit: number = graphmlLimits.notes): Notes {
  const found = new Map<string, { count: number; examples: Set<string> }>();
  let dropped = 0;
  return {
    add(text, { example, count = 1 } = {}) {
      let note = found.get(text);
      if (!note) {
        if (found.size >= limit) {
          dropped += count;
          return;
        }
        note = { count: 0, examples: new Set() };
        found.set(text, note);
      }
      note.count += count;
      if (example !== undefined && note.examples.size <= examplesShown) note.examples.add(quoted(example));
    },
    list() {
      const lines = Array.from(found, ([text, note]) => sentence(text, note.count, [...note.examples]));
      if (dropped > 0) lines.push(`More was found that is not listed here. (${times(dropped)})`);
      return lines;
    },
  };
}

function sentence(text: string, count: number, examples: string[]): string {
  const shown = examples.slice(0, examplesShown).join(", ") + (examples.length > examplesShown ? ", …" : "");
  const body = examples.length > 0 ? `${text}: ${shown}.` : `${text}.`;
  return count > 1 ? `${body} (${times(count)})` : body;
}

function times(count: number): string {
  return count === 1 ? "once" : `${count.toLocaleString("en")} times`;
}

/** A name from the file, short and on one line, for a sentence. */
export function quoted(text: string): string {
  const line = text.replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim();
  return `"${line.length > 60 ? `${line.slice(0, 59)}…` : line}"`;
}
