import { setTimeout as sleep } from "node:timers/promises";

import type { Watcher } from "./browsers.ts";
import type { Installation } from "./installation.ts";
import { stallReader } from "./load.ts";
import type { Plan } from "./plan.ts";

interface Scene {
  installation: Installation;
  plan: Plan;
  /** The second one is also stalled. */
  watchers: readonly [Watcher, Watcher];
  mark(what: string): void;
}

/** Cuts, stalls and kills at the planned moments. Returns the log of the server that was killed. */
export async function disturb({ installation, plan, watchers, mark }: Scene): Promise<string> {
  const began = performance.now();
  const until = (seconds: number): Promise<void> => sleep(Math.max(0, began + seconds * 1_000 - performance.now()));
  const [, second] = watchers;
  let endStalled: () => void = () => undefined;

  async function cut(length: number): Promise<void> {
    mark(`cut ${length} s`);
    for (const { proxy } of watchers) proxy.cut();
    await sleep(length * 1_000);
    for (const { proxy } of watchers) proxy.mend();
  }

  async function stall(length: number): Promise<void> {
    mark(`stall ${length} s`);
    endStalled = await stallReader(installation.server().url, second.team);
    second.proxy.stall();
    await sleep(length * 1_000);
    second.proxy.mend();
  }

  const steps = [
    ...plan.cuts.map(({ at, length }) => ({ at, run: () => cut(length) })),
    { at: plan.stall.at, run: () => stall(plan.stall.length) },
  ];
  for (const { at, run } of steps.toSorted((one, other) => one.at - other.at)) {
    await until(at);
    await run();
  }
  await until(plan.kill);
  mark("kill -9");
  const written = installation.server().output();
  await installation.kill();
  endStalled();
  await sleep(2_000);
  await installation.start();
  mark("started again");
  await until(plan.load);
  return written;
}
