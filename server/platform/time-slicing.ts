import { setImmediate as othersTurn } from "node:timers/promises";

/** The length of a slice: other requests wait this long. */
const sliceMilliseconds = 4;

/** Maps each item, a few milliseconds at a time, and yields the results of each slice. */
export async function* inSlices<One, Made>(
  ones: readonly One[],
  make: (one: One, at: number) => Made,
): AsyncGenerator<Made[]> {
  let [made, began] = [new Array<Made>(), performance.now()];
  for (const [at, one] of ones.entries()) {
    made.push(make(one, at));
    if (performance.now() - began < sliceMilliseconds) continue;
    yield made;
    await othersTurn();
    [made, began] = [[], performance.now()];
  }
  if (made.length > 0) yield made;
}

export async function mapInSlices<One, Made>(
  ones: readonly One[],
  make: (one: One, at: number) => Made,
): Promise<Made[]> {
  const all: Made[] = [];
  for await (const made of inSlices(ones, make)) all.push(...made);
  return all;
}

/** Lets other requests run when this work has used its slice. Awaiting a promise is not enough: it runs before them. */
export function createTurns() {
  let began = performance.now();
  return {
    async next(): Promise<void> {
      if (performance.now() - began < sliceMilliseconds) return;
      await othersTurn();
      began = performance.now();
    },
  };
}

/** Work that pauses after each step, so that somebody else may have a turn. */
export type Steps<Result> = Generator<void, Result>;

/** For tests and small work. */
export function finishAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Finishes the work, a few milliseconds at a time. */
export async function finishInSlices<Result>(steps: Steps<Result>): Promise<Result> {
  for (let began = performance.now(); ;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - began < sliceMilliseconds) continue;
    await othersTurn();
    began = performance.now();
  }
}

const sortedAtOnce = 2_000;

/** Sorts a list in steps: half a million keys at once would take a second. */
export function* sortSteps<One>(ones: readonly One[], compare: (one: One, other: One) => number): Steps<One[]> {
  let runs: One[][] = [];
  for (let at = 0; at < ones.length; at += sortedAtOnce) {
    runs.push(ones.slice(at, at + sortedAtOnce).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const longer: One[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      longer.push(yield* mergeRuns(runs[at] ?? [], runs[at + 1] ?? [], compare));
    runs = longer;
  }
  return runs[0] ?? [];
}

function* mergeRuns<One>(
  left: readonly One[],
  right: readonly One[],
  compare: (one: One, other: One) => number,
): Steps<One[]> {
  const merged: One[] = [];
  let at = 0;
  for (const one of left) {
    for (let other = right[at]; other !== undefined && compare(one, other) > 0; other = right[++at]) merged.push(other);
    merged.push(one);
    if (merged.length % sortedAtOnce === 0) yield;
  }
  for (; at < right.length; at++) {
    const other = right[at];
    if (other !== undefined) merged.push(other);
  }
  return merged;
}

/** The parts of the JSON text of an object whose lists and records may be long. */
export async function jsonInSlices(value: object): Promise<string[]> {
  const parts: string[] = [];
  const members: [string, unknown][] = Object.entries(value);
  for (const [key, member] of members) {
    if (member === undefined) continue;
    parts.push(`${parts.length === 0 ? "{" : ","}${JSON.stringify(key)}:`);
    if (Array.isArray(member)) parts.push("[", ...(await joined(member, (one) => JSON.stringify(one) ?? "null")), "]");
    else if (typeof member === "object" && member !== null) {
      const entries = Object.entries(member).filter(([, one]) => one !== undefined);
      parts.push(
        "{",
        ...(await joined(entries, ([name, one]) => `${JSON.stringify(name)}:${JSON.stringify(one)}`)),
        "}",
      );
    } else parts.push(JSON.stringify(member));
  }
  return [...parts, parts.length === 0 ? "{}" : "}"];
}

async function joined<One>(ones: readonly One[], toText: (one: One) => string): Promise<string[]> {
  const parts: string[] = [];
  for await (const texts of inSlices(ones, toText)) parts.push((parts.length === 0 ? "" : ",") + texts.join(","));
  return parts;
}
