import { diffArrays } from "diff";

export interface DiffLine {
  type: "same" | "added" | "removed";
  text: string;
}

// Texts that differ in more lines than this are shown as replaced, because comparing them takes too long.
const maxEdits = 1_000;

/** The difference between two texts, line by line. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const parts = diffArrays(old, now, { maxEditLength: maxEdits });
  if (!parts) return [...linesOf("removed", old), ...linesOf("added", now)];
  return parts.flatMap(({ added, removed, value }) => linesOf(added ? "added" : removed ? "removed" : "same", value));
}

function linesOf(type: DiffLine["type"], texts: readonly string[]): DiffLine[] {
  return texts.map((text) => ({ type, text }));
}
