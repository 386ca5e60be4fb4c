import { expect } from "vitest";

import type { JobSummary, SampleEvent } from "@miranda/contract/schemas/processors.ts";
import { runArgs, sampleArgs } from "@miranda/contract/command-args.ts";
import { setTimeout as sleep } from "node:timers/promises";

import { signal } from "../testing/services/signal.ts";
import { agentOf, processesOf } from "../testing/engine-under-test.ts";
import { resume, slowChain } from "../testing/results/kept-results.ts";
import type { Workbench } from "../testing/workbench.ts";
import { expectEverySample, type FaultBench } from "./fault-bench.ts";

const length = 10;
/** Long enough for a kill in the middle of the chain. */
const seconds = 0.06;

const last = async (bench: Workbench, node: number): Promise<unknown> => {
  const since = bench.listener.received.length;
  await bench.send("sample", sampleArgs({ node, transmitter: "out" }));
  return (await bench.listener.wait<SampleEvent>("sample", () => true, since)).value;
};

/** The worker of a session without a sandbox: the child of its agent. */
async function killWorker(jobId: string): Promise<void> {
  const agent = await agentOf(jobId);
  const worker = (await processesOf(jobId)).find(({ parent }) => parent === agent);
  if (worker) signal(worker.pid, "SIGKILL");
}

/**
 * Kills the worker at random moments of a chain of ten nodes, and continues in a new session each time: the outputs are
 * those of an undisturbed run, no node runs whose result was kept, and every sample is charged once. How often it was
 * killed.
 */
export async function killWorkers(fault: FaultBench, bench: Workbench, times: number): Promise<number> {
  const { db } = fault.database;
  const lines = Array.from({ length }, (_, at) => `time.sleep(${seconds}); self.out.send((self.inp or 0) * 3 + ${at})`);
  const ids = await slowChain(bench, lines);
  await bench.start();
  await bench.run();
  const undisturbed = await last(bench, ids.at(-1) ?? 0);
  await bench.until("stop", "", "EXITED");

  for (let round = 0; round < times; round++) {
    await db.deleteFrom("results").where("project_id", "=", bench.projectId).execute();
    await bench.start();
    const since = bench.listener.received.length;
    await bench.send("run", runArgs({ mode: "changed" }));
    await bench.state(since, "RUNNING");
    await sleep(Math.random() * length * seconds * 1_200);
    await killWorker(bench.jobId);
    await bench.listener.wait<JobSummary>(
      "update[DOCKER_JOB]",
      (job) => job.id === bench.jobId && ["ERROR", "EXITED"].includes(job.workflow_state),
      since,
    );
    await expectEverySample(fault, bench.jobId);

    await bench.start();
    // Not before: the agent that has ended may have sent its last one a moment after its session.
    const kept = await db.selectFrom("results").select("node_id").where("project_id", "=", bench.projectId).execute();
    await bench.until("run", resume, "READY");
    const ran = (await bench.lines()).map(([, text]) => text).filter((text) => text.endsWith(" runs"));
    const names = ids.map((id, at) => [id, `N${at + 1} runs`] as const);
    const isKept = new Set(kept.map(({ node_id }) => node_id));
    expect(ran).toEqual(names.filter(([id]) => !isKept.has(id)).map(([, name]) => name));
    expect(await last(bench, ids.at(-1) ?? 0)).toEqual(undisturbed);
    await bench.until("stop", "", "EXITED");
    await expectEverySample(fault, bench.jobId);
  }
  return times;
}
