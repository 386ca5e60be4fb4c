/** Compares two lists. Undefined when they differ by more edits. The package `diff` has one. */
type DiffArrays = (
  one: string[],
  other: string[],
  options: { maxEditLength: number },
) => { added: boolean; removed: boolean; count: number; value: string[] }[] | undefined;

/** A part of a merged text: text that is settled, or a place where both sides wrote something different. */
export type TextPiece = string | TextConflict;

interface TextConflict {
  /** Undefined when the two have no common version. */
  base: string | undefined;
  theirs: string;
  mine: string;
}

/** Lines of the base that one side replaced. An insertion replaces none. */
interface Hunk {
  start: number;
  end: number;
  lines: string[];
  /** The lines were not compared one by one. */
  isBlock?: boolean;
}

/** How much comparing of lines one merge may still do. While it compares, the server does nothing else. */
export interface CompareBudget {
  lines: number;
}

/** About half a second, in many steps. */
export const compareBudget = (): CompareBudget => ({ lines: 8_000_000 });

/** The same for one text: nobody else is served meanwhile. */
const linesMax = 1_500_000;
const editsMax = 1_000;
/** Texts with more lines, all three together, are only compared at their ends. */
const textLinesMax = 60_000;

/** The contract imports no package that compares texts, so its callers bring one. */
export function createTextMerge(diffArrays: DiffArrays) {
  return {
    /** Merges two texts by lines. Hunks that overlap or touch are conflicts, unless both sides wrote the same. */
    mergeLines(
      base: string | undefined,
      theirs: string,
      mine: string,
      budget: CompareBudget = compareBudget(),
    ): TextPiece[] {
      if (theirs === mine || theirs === base) return [mine];
      if (mine === base) return [theirs];
      if (hasManyLines([base ?? "", theirs, mine])) return mergeEnds(base, theirs, mine);
      const hunks = (from: string[], changed: string) => hunksOf(diffArrays, from, linesOf(changed), budget);
      if (base === undefined) return withoutBase(hunks(linesOf(mine), theirs), linesOf(mine));
      const lines = linesOf(base);
      return mergeHunks(lines, hunks(lines, theirs), hunks(lines, mine));
    },

    /** Merges two texts by words. Words that overlap or touch are conflicts, unless both sides wrote the same. */
    mergeWords(base: string, theirs: string, mine: string): TextPiece[] {
      const budget = compareBudget();
      const words = wordsOf(base);
      const hunks = (changed: string) => hunksOf(diffArrays, words, wordsOf(changed), budget);
      return mergeHunks(words, hunks(theirs), hunks(mine));
    },
  };
}

/** Words, and every space or line end by itself. */
function wordsOf(text: string): string[] {
  return text.match(/\s|\S+/g) ?? [];
}

/** Lines with their line ends. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function hasManyLines(texts: readonly string[]): boolean {
  let lines = 0;
  for (const text of texts)
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) if (++lines > textLinesMax) return true;
  return false;
}

/** Each side replaced the text from its first difference to its last. */
function mergeEnds(base: string | undefined, theirs: string, mine: string): TextPiece[] {
  if (base === undefined) {
    const { start, end, text } = differenceOf(mine, theirs);
    return [mine.slice(0, start), { base, theirs: text, mine: mine.slice(start, end) }, mine.slice(end)];
  }
  const [there, here] = [differenceOf(base, theirs), differenceOf(base, mine)];
  const cuts = [...new Set([0, there.start, there.end, here.start, here.end, base.length])].toSorted((a, b) => a - b);
  const blocks = cuts.slice(1).map((end, at) => base.slice(cuts[at], end));
  const hunk = ({ start, end, text }: Difference): Hunk => ({
    start: cuts.indexOf(start),
    end: cuts.indexOf(end),
    lines: [text],
    isBlock: true,
  });
  return mergeHunks(blocks, [hunk(there)], [hunk(here)]);
}

interface Difference {
  start: number;
  end: number;
  text: string;
}

/** What replaces a part of the base, in whole lines. */
function differenceOf(base: string, changed: string): Difference {
  const shorter = Math.min(base.length, changed.length);
  let before = 0;
  while (before < shorter && base.charCodeAt(before) === changed.charCodeAt(before)) before++;
  before = before === 0 ? 0 : base.lastIndexOf("\n", before - 1) + 1;
  let after = 0;
  while (
    after < shorter - before &&
    base.charCodeAt(base.length - 1 - after) === changed.charCodeAt(changed.length - 1 - after)
  )
    after++;
  const lineEnd = after === 0 ? -1 : base.indexOf("\n", base.length - after);
  after = lineEnd < 0 ? 0 : base.length - lineEnd - 1;
  return { start: before, end: base.length - after, text: changed.slice(before, changed.length - after) };
}

/** Without a common version nobody knows which side changed, so every difference is a conflict. */
function withoutBase(theirs: Hunk[], mine: string[]): TextPiece[] {
  const pieces: TextPiece[] = [];
  let at = 0;
  for (const { start, end, lines } of theirs) {
    pieces.push(textOf(mine, at, start), { base: undefined, theirs: lines.join(""), mine: textOf(mine, start, end) });
    at = end;
  }
  return [...pieces, textOf(mine, at, mine.length)];
}

function mergeHunks(base: string[], theirs: Hunk[], mine: Hunk[]): TextPiece[] {
  const pieces: TextPiece[] = [];
  let at = 0;
  for (const cluster of clustersOf(theirs, mine)) {
    pieces.push(textOf(base, at, cluster.start), mergeCluster(base, cluster));
    at = cluster.end;
  }
  return [...pieces, textOf(base, at, base.length)];
}

/** Hunks of both sides that overlap or touch. */
interface Cluster {
  start: number;
  end: number;
  theirs: Hunk[];
  mine: Hunk[];
  /** Whether every hunk replaces as many lines as it has. Such hunks may touch: each line has one author. */
  isLineByLine: boolean;
}

function clustersOf(theirs: Hunk[], mine: Hunk[]): Cluster[] {
  const sorted = [
    ...theirs.map((hunk) => ({ hunk, side: "theirs" as const })),
    ...mine.map((hunk) => ({ hunk, side: "mine" as const })),
  ].toSorted((one, other) => one.hunk.start - other.hunk.start || one.hunk.end - other.hunk.end);
  const clusters: Cluster[] = [];
  for (const { hunk, side } of sorted) {
    const last = clusters.at(-1);
    const isLineByLine = !hunk.isBlock && hunk.lines.length === hunk.end - hunk.start;
    const collides =
      last && (hunk.start < last.end || (hunk.start === last.end && !(last.isLineByLine && isLineByLine)));
    if (collides) {
      last[side].push(hunk);
      last.end = Math.max(last.end, hunk.end);
      last.isLineByLine &&= isLineByLine;
    } else {
      const sides = side === "theirs" ? { theirs: [hunk], mine: [] } : { theirs: [], mine: [hunk] };
      clusters.push({ start: hunk.start, end: hunk.end, ...sides, isLineByLine });
    }
  }
  return clusters;
}

function mergeCluster(base: string[], cluster: Cluster): TextPiece {
  const [theirs, mine] = [applied(base, cluster, cluster.theirs), applied(base, cluster, cluster.mine)];
  if (cluster.mine.length === 0 || theirs === mine) return theirs;
  if (cluster.theirs.length === 0) return mine;
  return { base: textOf(base, cluster.start, cluster.end), theirs, mine };
}

/** The lines of a cluster as one side wrote them. */
function applied(base: string[], { start, end }: Cluster, hunks: Hunk[]): string {
  let text = "";
  let at = start;
  for (const hunk of hunks) {
    text += textOf(base, at, hunk.start) + hunk.lines.join("");
    at = hunk.end;
  }
  return text + textOf(base, at, end);
}

function textOf(lines: string[], start: number, end: number): string {
  return lines.slice(start, end).join("");
}

/** Texts that differ too much to compare count as replaced from the first difference to the last. */
function hunksOf(diffArrays: DiffArrays, base: string[], changed: string[], budget: CompareBudget): Hunk[] {
  // Each edit looks at every line at most once.
  const lines = base.length + changed.length;
  const maxEditLength = Math.min(editsMax, Math.floor(Math.max(0, Math.min(budget.lines, linesMax)) / (lines + 1)));
  const parts = diffArrays(base, changed, { maxEditLength });
  budget.lines -= lines * (parts ? editsIn(parts) + 1 : maxEditLength);
  if (!parts) return [replacedBetweenEqualEnds(base, changed)];
  const hunks: Hunk[] = [];
  let at = 0;
  let open: Hunk | undefined;
  for (const { added, removed, value } of parts) {
    if (!added && !removed) {
      at += value.length;
      open = undefined;
      continue;
    }
    if (!open) hunks.push((open = { start: at, end: at, lines: [] }));
    if (added) open.lines.push(...value);
    else open.end = at += value.length;
  }
  return hunks;
}

function editsIn(parts: readonly { added: boolean; removed: boolean; count: number }[]): number {
  return parts.reduce((edits, { added, removed, count }) => edits + (added || removed ? count : 0), 0);
}

function replacedBetweenEqualEnds(base: string[], changed: string[]): Hunk {
  const shorter = Math.min(base.length, changed.length);
  let before = 0;
  while (before < shorter && base[before] === changed[before]) before++;
  let after = 0;
  while (after < shorter - before && base.at(-1 - after) === changed.at(-1 - after)) after++;
  return { start: before, end: base.length - after, lines: changed.slice(before, changed.length - after) };
}
