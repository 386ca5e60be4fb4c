import { diffArrays } from "diff";

export interface DiffLine {
  type: "same" | "added" | "removed";
  text: string;
}

// Texts that differ in more lines than this are shown as replaced: comparing them would take longer than anybody waits.
const editsMax = 1_000;

/** What changed from one text to another, line by line. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const parts = diffArrays(old, now, { maxEditLength: editsMax });
  if (!parts) return [...linesOf("removed", old), ...linesOf("added", now)];
  return parts.flatMap(({ added, removed, value }) => linesOf(added ? "added" : removed ? "removed" : "same", value));
}

function linesOf(type: DiffLine["type"], texts: readonly string[]): DiffLine[] {
  return texts.map((text) => ({ type, text }));
}
