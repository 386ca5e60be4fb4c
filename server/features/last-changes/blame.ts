import { diffArrays } from "diff";

import type { Steps } from "../../platform/time-slicing.ts";

/** Lines that two texts may differ in. Texts that differ more have nearly nothing in common. */
const editsMax = 1_000;

/** Comparing all texts may take this long. Without a limit, hostile texts would block the server for seconds. */
const budgetMilliseconds = 200;

export interface Blame {
  origins: (number | null)[];
  /** False when the time was up first: the next try may find more. */
  isComplete: boolean;
}

/**
 * Which of the texts, oldest first, brought each line of the last one. Null: the line is older than the first text, or
 * the time was up before its text was found. The first text brought its own lines when it is the first one that ever was.
 */
export function* blame(texts: readonly string[], isFirstOfAll: boolean): Steps<Blame> {
  let left = budgetMilliseconds;
  let lines = texts.at(-1)?.split("\n") ?? [];
  const origins = lines.map((): number | null => null);
  // For each line of the text at hand, its place in the last text. Newest first: what is recent is found in any case.
  let places: (number | undefined)[] = lines.map((_, at) => at);
  for (let at = texts.length - 1; at >= 0 && places.some((place) => place !== undefined); at--) {
    const older = at === 0 ? undefined : texts[at - 1]?.split("\n");
    if (!older && !isFirstOfAll) break;
    const began = performance.now();
    const before = older ? origin(older, lines, left) : lines.map(() => undefined);
    left -= performance.now() - began;
    // The comparison counts whole milliseconds: less than one may be left when its time is up.
    if (!before && left < 1) return { origins, isComplete: false };
    const next: (number | undefined)[] = (older ?? []).map(() => undefined);
    for (const [line, place] of places.entries()) {
      const old = before?.[line];
      if (place === undefined) continue;
      if (old === undefined) origins[place] = at;
      else next[old] = place;
    }
    if (older) [lines, places] = [older, next];
    if (left <= 0) return { origins, isComplete: false };
    yield;
  }
  return { origins, isComplete: true };
}

/** For each new line its place in the old text. Undefined when the texts differ too much, or the time is up. */
function origin(old: string[], lines: string[], timeout: number): (number | undefined)[] | undefined {
  const parts = diffArrays(old, lines, { maxEditLength: editsMax, timeout });
  let at = 0;
  return parts?.flatMap(({ added, removed, value }) => {
    if (removed) at += value.length;
    return removed ? [] : value.map(() => (added ? undefined : at++));
  });
}
