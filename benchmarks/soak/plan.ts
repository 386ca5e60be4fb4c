// What a soak does, and when. Times are in seconds from the beginning of the load.

/** The log panel shows at most a million lines. */
const linesMost = 400_000;
const linesPerSecondMost = 2_000;

export interface Plan {
  /** How long the load lasts. */
  load: number;
  /** How many lines each node prints that a browser watches. */
  lines: number;
  linesPerSecond: number;
  /** When the browsers' connections are cut, and for how long. */
  cuts: { at: number; length: number }[];
  /** When one reader stops reading for good, and the second browser for a while, as a hanging page does. */
  stall: { at: number; length: number };
  /** When the server is killed. */
  kill: number;
  /** How long the server is idle before its memory is measured at the end. */
  rest: number;
}

/** What the other processors run again and again. */
export const shortRun = { lines: 500, linesPerSecond: 500 };

export const shortest = 3;
export const longest = 60;

/** The disturbances need three minutes, so that lines are printed before, during and after each. */
export function planFor(minutes: number): Plan {
  const load = minutes * 60;
  const linesPerSecond = Math.min(linesPerSecondMost, Math.floor(linesMost / load / 10) * 10);
  return {
    load,
    linesPerSecond,
    lines: load * linesPerSecond,
    cuts: [
      { at: load * 0.06, length: 1 },
      { at: load * 0.12, length: 4 },
      { at: load * 0.36, length: 60 },
    ],
    stall: { at: load * 0.2, length: 20 },
    kill: load * 0.8,
    rest: 60,
  };
}

/**
 * Prints numbered lines at a steady pace. A node that was delayed prints what is late at once. Around the stall the lines
 * are long: a stalled reader must have more unread than fits into the buffers of the operating system.
 */
export function printingNode(run: Pick<Plan, "lines" | "linesPerSecond">, { stall }: Pick<Plan, "stall">): string {
  const portion = Math.max(1, run.linesPerSecond / 10);
  const [from, to] = [stall.at - 5, stall.at + stall.length].map((second) => Math.floor(second * run.linesPerSecond));
  return `import time
from miranda import Node


class Count(Node):
    def run(self):
        began = time.monotonic()
        for number in range(${run.lines}):
            print("line", number, "x" * 900 if ${from} <= number < ${to} else "")
            if number % ${portion} == 0:
                time.sleep(max(0, began + number / ${run.linesPerSecond} - time.monotonic()))
`;
}
