import { isAlive } from "@miranda/contract/processor.ts";
import type { JobSummary } from "@miranda/contract/schemas/processors.ts";

import type { Realtime } from "../../api/socket.ts";
import type { ProcessorStore } from "./processor-store.ts";
import type { RunStore } from "./runs/run-store.ts";

interface Listening {
  graphId: string;
  realtime: Pick<Realtime, "on">;
  store: ProcessorStore;
  runs: RunStore;
  /** A session came, or one ended: lists of sessions are out of date. */
  onOther: () => void;
}

/** Applies the server's events about a graph's processor. */
export function listenToProcessor({ graphId, realtime, store, runs, onOther }: Listening): () => void {
  const isOurs = (job: JobSummary) => !job.deployment_id && (job.graph === null || job.graph.graph_id === graphId);
  const isCurrent = (event: { job_id?: string }) =>
    event.job_id === undefined || event.job_id === store.get().job?.id || store.get().job === undefined;

  function observe(job: JobSummary): void {
    if (!isOurs(job)) return;
    const before = store.get().job;
    store.observe(job);
    if (before?.id !== job.id || isAlive(before.workflow_state) !== isAlive(job.workflow_state)) onOther();
  }

  const stops = [
    realtime.on("new[DOCKER_JOB]", observe),
    realtime.on("update[DOCKER_JOB]", observe),
    realtime.on("broadcast(setWaitingOnTag)", ({ data }) => store.wait(data.tag)),
    realtime.on("break", (event) => {
      if (isCurrent(event)) store.hit(event);
    }),
    realtime.on("exception", (event) => {
      if (isCurrent(event)) store.raise(event);
    }),
    realtime.on("running_node", (event) => {
      if (isCurrent(event)) store.setRunning(event.wob_key);
    }),
    realtime.on("interrupting", (event) => {
      if (isCurrent(event)) store.interrupting(event);
    }),
    realtime.on("run_ended", (event) => {
      if (isCurrent(event)) store.endRun(event);
    }),
    realtime.on("acted", (event) => {
      if (isCurrent(event)) store.act(event);
    }),
    realtime.on("node_runs", (event) => runs.add(event.job_id, event.nodes)),
    realtime.on("node_bars", (event) => runs.setBars(event)),
    realtime.on("output", (event) => runs.show(event)),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
