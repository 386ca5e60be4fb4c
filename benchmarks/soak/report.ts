import type { Mark } from "./picture.ts";
import type { Plan } from "./plan.ts";
import type { Curve, Sample } from "./samples.ts";

/** A check, and what is wrong. */
export interface Check {
  what: string;
  wrong: string[];
}

export interface Report {
  minutes: number;
  plan: Plan;
  /** Megabytes. */
  fresh: number;
  idle: number;
  acknowledged: number;
  lines: number;
  checks: Check[];
  marks: Mark[];
  samples: Sample[];
}

const shownFaults = 5;

export function reportText({ minutes, plan, fresh, idle, acknowledged, lines, checks, samples }: Report): string {
  const of = (key: Curve): number[] => samples.map((sample) => sample[key]).toSorted((one, other) => one - other);
  const share = (key: Curve, part: number): string =>
    (of(key)[Math.floor((samples.length - 1) * part)] ?? 0).toFixed(0);
  const cuts = plan.cuts.map(({ length }) => `${length} s`).join(", ");
  return [
    `# A soak of ${minutes} minutes`,
    "",
    `${acknowledged} acknowledged changes and ${lines} printed lines. The browsers were cut off for ${cuts}, one stalled for`,
    `${plan.stall.length} s, one reader stalled for good, and the server was killed once.`,
    "",
    ...checks.flatMap(({ what, wrong }) => [
      `- ${wrong.length === 0 ? "ok" : "WRONG"}: ${what}`,
      ...wrong.slice(0, shownFaults).map((one) => `  - ${one}`),
      ...(wrong.length > shownFaults ? [`  - and ${wrong.length - shownFaults} more`] : []),
    ]),
    "",
    `- Memory of the server: ${fresh.toFixed(0)} MB fresh, at most ${share("memoryMb", 1)} MB, ${idle.toFixed(0)} MB`,
    `  after ${plan.rest} s of rest.`,
    `- Latency of a call: median ${share("latencyMs", 0.5)} ms, 99 of 100 within ${share("latencyMs", 0.99)} ms, at most`,
    `  ${share("latencyMs", 1)} ms.`,
    `- Descriptors: at most ${share("descriptors", 1)}. Heap of a browser: at most ${share("browserMb", 1)} MB.`,
    "",
  ].join("\n");
}
