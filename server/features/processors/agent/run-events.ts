import { sumCredits } from "@miranda/contract/billing/credits.ts";
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
  const end = endOf(run, batch);
  const report: RunReport = {
    plan: undefined,
    nodes: [],
    exceptions: batch.toPublish.filter((event) => event.kind === "exception").map(withinBytes),
    blamed: batch.blamed,
    used,
    state: stateOf(batch),
    isInstalling: batch.installing === undefined ? undefined : batch.installing !== null,
    end,
    last: { lastLine: batch.lastLine, lastSample: end?.lastSample ?? null },
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
  { statuses, times, spans, seeds }: Extract<RunnerEvent, { kind: "progress" }>,
  own: Known,
): void {
  for (const [key, status] of Object.entries(statuses)) {
    const node = Number(key);
    // The plan says who waits. Thousands of rows would be written twice.
    if (!own.has(node) || (status === "waiting" && !nodes.has(node))) continue;
    const before = nodes.get(node);
    const [seconds, fires] = times[key] ?? [before?.seconds ?? 0, before?.fires ?? 0];
    const seed = seeds[key] ?? before?.seed ?? null;
    nodes.set(node, { node, status, seconds, fires, spans: spans[key] ?? before?.spans ?? [], seed });
  }
}

/** One statement cannot write a row twice. */
function onlyOnce<Node extends { node: number }>(nodes: readonly Node[]): Node[] {
  return [...new Map(nodes.map((node) => [node.node, node])).values()];
}

const endOf = (run: AliveRun, { runEnds }: Batch) =>
  runEnds.find(({ command }) => command === undefined || command === run.command);

/** What a run used, by the samples of a batch. Of those after its end, the first covers its last moments. */
export function usedBy(run: AliveRun, batch: Batch, { ofSamples }: Charge): RunReport["used"] {
  const end = endOf(run, batch);
  const samples = end ? batch.samples.filter(({ number }) => number <= end.lastSample + 1) : batch.samples;
  return {
    cost: sumCredits(samples.map(({ number }) => ofSamples.get(number) ?? 0n)),
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
