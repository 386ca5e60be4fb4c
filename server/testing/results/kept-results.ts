import { runArgs, type RunArgs } from "@miranda/contract/command-args.ts";
import type { PlanEvent } from "@miranda/contract/schemas/processors.ts";
import { setTimeout as sleep } from "node:timers/promises";

import type { Db } from "../../platform/database/database.ts";
import type { Workbench } from "../workbench.ts";

/** A node that takes long enough to be kept, and prints that it runs. `line` sends something. */
export const slowNode = (name: string, line: string): string => `from miranda import *
import time

class ${name}(Node):
    inp = Receiver()
    out = Transmitter()

    def run(self):
        time.sleep(0.003)
        print("${name} runs")
        ${line}
`;

/** Sends one more than it receives. */
export const addOne = "self.out.send((self.inp or 0) + 1)";

/** N1 → N2 → … with these lines. Their ids. */
export async function slowChain(bench: Workbench, lines: readonly string[]): Promise<number[]> {
  const ids: number[] = [];
  for (const [at, line] of lines.entries()) {
    ids.push(await bench.node(slowNode(`N${at + 1}`, line), `N${at + 1}`));
    if (at > 0) await bench.edge(ids[at - 1] ?? 0, "out", ids[at] ?? 0, "inp");
  }
  return ids;
}

/** Waits until the project has so many kept results: they are written beside the run. Their keys. */
export async function keptResults(db: Db, projectId: string, count: number): Promise<string[]> {
  for (;;) {
    const rows = await db
      .selectFrom("results")
      .select("key")
      .where("project_id", "=", projectId)
      .orderBy("created_at")
      .execute();
    if (rows.length >= count) return rows.map(({ key }) => key);
    await sleep(20);
  }
}

export const resume = runArgs({ mode: "changed", resume: true });

export async function planOf(bench: Workbench, args: Partial<RunArgs> = {}): Promise<PlanEvent["plan"]> {
  const { number } = (await bench.send("plan", runArgs({ mode: "changed", ...args }))).json<{ number: number }>();
  return (await bench.listener.wait<PlanEvent>("plan", (event) => event.number === number)).plan;
}

/** The nodes of `slowNode` that ran in the present session. */
export async function ranNodes(bench: Workbench): Promise<string[]> {
  const texts = (await bench.lines()).map(([, text]) => text);
  return texts.filter((text) => text.endsWith(" runs")).map((text) => text.slice(0, -" runs".length));
}
