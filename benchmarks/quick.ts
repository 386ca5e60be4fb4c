import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Measurement } from "./measuring/measurement.ts";

// Measures the paths that every feature lies on, in less than four minutes, and compares them with the figures that were
// committed last. What is worse is measured twice more, because the machine may just have been busy.

const paths = [
  "server-start",
  "start",
  "run-on-screen",
  "calls",
  "chain",
  "reads",
  "large-graph",
  "editor",
  "ide",
  "screen-sizes",
];
const worseFrom = 1.25;
const file = join(import.meta.dirname, "baseline.json");

/** The ratios by the name of the measurement. Smaller is better. */
type Baseline = Record<string, number>;

/** In a process of its own, as its size is decided when it is loaded. */
function measure(name: string): Measurement[] {
  const env = { ...process.env, BENCH_SIZE: "quick" };
  const { status, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, "measure.ts"), name], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`The benchmark ${name} failed.`);
  return JSON.parse(stdout.toString()) as Measurement[];
}

/** The names of those that are worse than before. */
function lossesIn(measured: Measurement[], before: Baseline): Set<string> {
  const isWorse = ({ name, times = 0 }: Measurement) => times > (before[name] ?? Infinity) * worseFrom;
  return new Set(measured.filter(isWorse).map(({ name }) => name));
}

/** The names of those that are worse in two of three rounds. The third is only needed when the second one differs. */
function confirm(path: string, first: Set<string>, before: Baseline): Set<string> {
  if (first.size === 0) return first;
  const second = lossesIn(measure(path), before);
  const isConfirmed = [...first].every((name) => second.has(name));
  const third = isConfirmed ? second : lossesIn(measure(path), before);
  return new Set([...first].filter((name) => second.has(name) || third.has(name)));
}

/** Measures each path and prints it. With `save` these figures become those to compare with. Returns the exit status. */
export async function quick(save: boolean): Promise<number> {
  const before = save ? {} : (JSON.parse(await readFile(file, "utf8")) as Baseline);
  const now: Baseline = {};
  let worse = 0;
  for (const path of paths) {
    const measured = measure(path);
    const losses = confirm(path, lossesIn(measured, before), before);
    worse += losses.size;
    for (const { name, times, ours, bare } of measured) {
      if (times === undefined) continue;
      now[name] = Number(times.toPrecision(3));
      const committed = before[name] ?? "none";
      const verdict = losses.has(name) ? "WORSE" : "ok   ";
      process.stdout.write(`${verdict} ${name}: ${ours}; bare ${bare}; ratio ${now[name]}, committed ${committed}\n`);
    }
  }
  if (save) await writeFile(file, `${JSON.stringify(now, undefined, 2)}\n`);
  return worse > 0 ? 1 : 0;
}
