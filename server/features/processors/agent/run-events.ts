import { runMax } from "@miranda/contract/protocol/worker.ts";
import type { RunnerEvent } from "@miranda/contract/protocol/agent.ts";

import type { Booking, Charge, Used } from "../../billing/billing-service.ts";
import type { AliveRun, LastUse, NodeReport, RunReport, ServedRun } from "../../runs/run-records-service.ts";
import type { Batch } from "./reduce-events.ts";

/** The nodes that a plan names. */
export function plannedNodes(events: readonly RunnerEvent[]): number[] {
  return events.flatMap((event) => (event.kind === "planned" ? event.nodes.map(({ node }) => node) : []));
}

/** Whether events make what is stored of a run larger, so that they need free disk. */
export function growsRun(events: readonly RunnerEvent[]): boolean {
  return events.some(({ kind }) => kind === "planned" || kind === "exception" || kind === "metrics");
}

/** A set of nodes, or a map from them. */
type Known = Pick<ReadonlySet<number>, "has">;

interface Stored {
  batch: Batch;
  /** The nodes that belong to the workflow, or belonged to it in the run that is repeated. */
  own: Known;
  used: Used | undefined;
  /** The names that nodes have in a release. Undefined: those that they have now. */
  names: ReadonlyMap<number, string> | undefined;
}

/** The numbers of the runs that samples belong to. */
export function runsOf(samples: Batch["samples"]): number[] {
  return [...new Set(samples.map(({ run }) => run))].filter((run) => run > 0);
}

/** Who pays for the samples of a run and who caused them, by the number of the run. */
export function bookingsOf(
  job: { account_id: string; deployment_id: string | null },
  calls: readonly ServedRun[],
  alive: AliveRun | undefined,
): (run: number) => Booking {
  const personId = alive?.account_id ?? job.account_id;
  if (job.deployment_id === null) return () => ({ payerId: null, personId, source: "session" });
  const ofCalls = new Map(
    calls.map(({ number, payer_id, account_id, source }): [number, Booking] => [
      number,
      { payerId: payer_id, personId: account_id, source: source === "schedule" ? "schedule" : "call" },
    ]),
  );
  // While a session waits for calls, nobody in particular causes its cost.
  return (run) => ofCalls.get(run) ?? { payerId: null, personId: null, source: "call" };
}

/**
 * What a batch says about the run that is alive. Node code can send any number and any node: what does not belong to this
 * run is left out.
 */
export function reportOfRun(
  run: AliveRun,
  events: readonly RunnerEvent[],
  { batch, own, used, names }: Stored,
): RunReport {
  const report: RunReport = {
    plan: undefined,
    nodes: [],
    exceptions: batch.toPublish.filter((event) => event.kind === "exception").map(withinBytes),
    blamed: batch.blamed,
    used,
    state: stateOf(batch),
    end: batch.runEnds.find(({ command }) => command === undefined || command === run.command),
    last: { lastLine: batch.lastLine, lastSample: batch.samples.at(-1)?.number ?? null },
  };
  const nodes = new Map<number, NodeReport>();
  for (const event of events) {
    if (event.kind === "planned" && event.run === run.number && report.plan === undefined)
      report.plan = { nodes: onlyOnce(event.nodes.filter(({ node }) => own.has(node))), python: event.python, names };
    if (event.kind === "progress" && event.run === run.number) addProgress(nodes, event, own);
  }
  report.nodes = [...nodes.values()];
  return report;
}

function addProgress(
  nodes: Map<number, NodeReport>,
  { statuses, times, spans }: Extract<RunnerEvent, { kind: "progress" }>,
  own: Known,
): void {
  for (const [key, status] of Object.entries(statuses)) {
    const node = Number(key);
    // The plan says who waits. Thousands of rows would be written twice.
    if (!own.has(node) || (status === "waiting" && !nodes.has(node))) continue;
    const before = nodes.get(node);
    const [seconds, fires] = times[key] ?? [before?.seconds ?? 0, before?.fires ?? 0];
    nodes.set(node, { node, status, seconds, fires, spans: spans[key] ?? before?.spans ?? [] });
  }
}

/** One statement cannot write a row twice. */
function onlyOnce<Node extends { node: number }>(nodes: readonly Node[]): Node[] {
  return [...new Map(nodes.map((node) => [node.node, node])).values()];
}

export function usedBy({ samples }: Batch, { cost }: Charge): RunReport["used"] {
  return {
    cost,
    cpuSeconds: samples.reduce((sum, one) => sum + one.cpuSeconds, 0),
    ramGbSeconds: samples.reduce((sum, one) => sum + one.ramGb * one.seconds, 0),
  };
}

/** The sample after the end of a run, which covers its last moments. Those after it cover none of it. */
export function lastOfRun({ samples }: Batch, { ofSamples }: Charge): LastUse {
  const [first] = samples;
  if (!first) return { sample: 0, used: { cost: 0n, cpuSeconds: 0, ramGbSeconds: 0 } };
  const cost = ofSamples.get(first.number) ?? 0n;
  const used = { cost, cpuSeconds: first.cpuSeconds, ramGbSeconds: first.ramGb * first.seconds };
  return { sample: first.number, used };
}

function stateOf({ states, state }: Batch): RunReport["state"] {
  if (states.length === 0) return undefined;
  return state === "RESUMEREADY" ? "paused" : state === "RUNNING" ? "running" : undefined;
}

/** Without its variables when they take more than the worker may send. */
function withinBytes(event: Extract<RunnerEvent, { kind: "exception" }>): RunReport["exceptions"][number] {
  const { node, line, function: name, traceback, frames } = event;
  const fits = Buffer.byteLength(JSON.stringify(frames)) <= 2 * runMax.frameBytes;
  return { node, line, function: name, traceback, frames: fits ? frames : [] };
}
