export interface DiffLine {
  type: "same" | "added" | "removed";
  text: string;
}

// Beyond this the table of all pairs would take longer than anybody waits: the middle is then shown as replaced.
const mostCells = 4_000_000;

/** What changed from one text to another, line by line. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const middle = diffMiddle(old.slice(start, old.length - end), now.slice(start, now.length - end));
  return [
    ...old.slice(0, start).map((text) => ({ type: "same" as const, text })),
    ...middle,
    ...old.slice(old.length - end).map((text) => ({ type: "same" as const, text })),
  ];
}

function diffMiddle(old: readonly string[], now: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ type: "removed", text });
  const added = (text: string): DiffLine => ({ type: "added", text });
  if (old.length * now.length > mostCells) return [...old.map(removed), ...now.map(added)];
  const width = now.length + 1;
  const longest = new Int32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const here = i * width + j;
      longest[here] =
        old[i] === now[j] ? longest[here + width + 1]! + 1 : Math.max(longest[here + width]!, longest[here + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ type: "same", text: old[i]! });
      i += 1;
      j += 1;
    } else if (j >= now.length || (i < old.length && longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!)) {
      lines.push(removed(old[i]!));
      i += 1;
    } else {
      lines.push(added(now[j]!));
      j += 1;
    }
  }
  return lines;
}
