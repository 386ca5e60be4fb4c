import { RunnerEvent } from "@miranda/contract/protocol/agent.ts";

/** What an agent that is gone had not sent. */
export interface Unsent {
  events: RunnerEvent[];
  /** How many lines of the log it could not keep, or were kept and cannot be read. */
  missingLines: number;
}

interface Parsed {
  /** Each with how many events came before it. */
  events: { at: number; event: unknown }[];
  batches: { first: number; last: number; events: number }[];
  /** Where events are missing: from the first of them to the one after, and how many lines they have. */
  gaps: { from: number; to: number; lines: number }[];
}

/**
 * The events after the last one that the server has, from what the agent wrote to its files (their format:
 * runtime/miranda_agent/unsent.py). Asked a second time, when these have been stored, there are none.
 */
export function unsentAfter(lastEvent: number, files: readonly string[]): Unsent {
  const parsed = parse(files);
  const from = firstUnsent(lastEvent, parsed.batches);
  const unsent: Unsent = { events: [], missingLines: 0 };
  for (const { at, event } of parsed.events) {
    if (at < from) continue;
    const { data } = RunnerEvent.safeParse(event);
    if (data) unsent.events.push(data);
    else unsent.missingLines += 1;
  }
  for (const gap of parsed.gaps)
    if (gap.to > from) unsent.missingLines += gap.from >= from ? gap.lines : Math.min(gap.lines, gap.to - from);
  return unsent;
}

/** How many of the agent's events the server has. */
function firstUnsent(lastEvent: number, batches: Parsed["batches"]): number {
  const newest = batches.at(-1);
  if (!newest) return lastEvent === 0 ? 0 : Infinity;
  // It has more than the agent ever sent: these were taken from here before.
  if (lastEvent > newest.last) return Infinity;
  // A batch is stored as a whole or not at all.
  return batches.findLast(({ last }) => last <= lastEvent)?.events ?? 0;
}

function parse(files: readonly string[]): Parsed {
  const parsed: Parsed = { events: [], batches: [], gaps: [] };
  let hasBegun = false;
  let count = 0;
  let lines = 0;
  for (const text of files.toSorted((one, other) => beginningOf(one) - beginningOf(other))) {
    // What comes after the last newline was cut off.
    for (const line of text.split("\n").slice(0, -1)) {
      if (line.startsWith("#")) {
        const [at = 0, linesBefore = 0, first = 0, last = 0, events = 0] = numbersOf(line);
        if (at > count && hasBegun) parsed.gaps.push({ from: count, to: at, lines: linesBefore - lines });
        [count, lines, hasBegun] = [at, linesBefore, true];
        parsed.batches.push({ first, last, events });
      } else if (line.startsWith("@")) {
        const [first = 0, last = 0, events = 0] = numbersOf(line);
        parsed.batches.push({ first, last, events });
      } else if (line.startsWith("{") && line.endsWith("}")) {
        const event = readEvent(line);
        parsed.events.push({ at: count, event });
        count += 1;
        if (event?.kind === "log") lines += event.text.split("\n").length;
      }
    }
  }
  return parsed;
}

/** A file whose first line is not whole has nothing else either. */
function beginningOf(text: string): number {
  return numbersOf(/^\n?#.*/.exec(text)?.[0].trim() ?? "#0")[0] ?? 0;
}

function numbersOf(line: string): number[] {
  return line.slice(1).split(" ").map(Number);
}

function readEvent(text: string): { kind: string; text: string } | undefined {
  try {
    return JSON.parse(text) as { kind: string; text: string };
  } catch {
    return undefined;
  }
}
