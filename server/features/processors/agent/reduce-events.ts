import { canTransition, isAlive, type WorkflowState } from "@miranda/contract/processor.ts";
import { logLevels } from "@miranda/contract/limits.ts";
import type { NodeRun } from "@miranda/contract/schemas/processors.ts";

import type { MeasuredSample, Network } from "./measured-usage.ts";
import type { JobRow } from "../jobs/jobs-queries.ts";
import { type StoredEntry, toEntries } from "../logs/log-entries.ts";
import { deathWords, failedWords } from "../jobs/ending-words.ts";
import type { RunnerEvent, WorkerDeath } from "@miranda/contract/protocol/agent.ts";
import type { RunEnd } from "../../runs/run-records-service.ts";
import { endOfCommand, endOfSession } from "../jobs/run-ends.ts";
import type { ProgressBar } from "@miranda/contract/protocol/worker.ts";

type Of<Kind extends RunnerEvent["kind"]> = Extract<RunnerEvent, { kind: Kind }>;

/** A batch of events, reduced to what must be stored, before the database is used. */
export interface Batch {
  state: WorkflowState;
  states: WorkflowState[];
  entries: StoredEntry[];
  lastLine: number;
  logBytes: number;
  partials: Of<"partial">[];
  samples: MeasuredSample[];
  /** The network usage since the session began, if the agent measures it. */
  network: Network | undefined;
  paused: Of<"break"> | null | undefined;
  /** The progress of installing packages. Null: done. Undefined: unchanged. */
  installing: Of<"installing"> | null | undefined;
  /** The packages that ended runs imported. */
  packages: { run: number; packages: Record<string, string> }[];
  /** What each node did in its run so far. */
  nodeRuns: Map<number, NodeRun>;
  running: number | null | undefined;
  /** The present progress bars of nodes. Not stored: they end with the run. */
  bars: Map<number, ProgressBar[]>;
  outputs: Of<"output">[];
  models: Of<"model">[];
  questions: Of<"ask_password">[];
  /** Questions that their nodes no longer wait for. */
  withdrawn: number[];
  /** What an interrupt still waits for, as last reported. */
  interrupting: Of<"interrupting"> | undefined;
  /** The nodes that were running when the worker died. */
  blamed: number[];
  /**
   * How the run ended that this command began, or without a command, the run that was alive; and the last sample before.
   * The one after it may be in the same batch.
   */
  runEnds: (RunEnd & { command: number | undefined; lastSample: number })[];
  /** Other events to publish, in this order. */
  toPublish: (Of<"break"> | Of<"exception"> | Of<"done"> | Of<"early">)[];
}

/** Facts from the database that a batch does not contain. */
interface Known {
  /** The first line of a session's log. */
  notice: string;
  /** The names of those nodes of `namedIn` that belong to the workflow. */
  names: ReadonlyMap<number, string>;
}

/** The nodes whose names appear in the log. */
export function namedIn(events: readonly RunnerEvent[]): number[] {
  return events.flatMap((event) => {
    if (event.kind === "state") return event.death?.nodes.map(({ node }) => node) ?? [];
    return event.kind === "done" && event.command === "run" ? event.failed : [];
  });
}

export function reduceEvents(job: JobRow, events: readonly RunnerEvent[], known: Known): Batch {
  const batch: Batch = {
    state: job.state,
    states: [],
    entries: [],
    lastLine: job.last_line,
    logBytes: 0,
    partials: [],
    samples: [],
    network: undefined,
    paused: undefined,
    installing: undefined,
    packages: [],
    nodeRuns: new Map(),
    running: undefined,
    bars: new Map(),
    outputs: [],
    models: [],
    questions: [],
    withdrawn: [],
    interrupting: undefined,
    blamed: [],
    runEnds: [],
    toPublish: [],
  };
  for (const event of events) add(batch, job, event, known);
  return batch;
}

function add(batch: Batch, job: JobRow, event: RunnerEvent, known: Known): void {
  switch (event.kind) {
    case "log":
      return write(batch, event.tag, event.at, event.text, event.node);
    case "partial":
      batch.partials.push(event);
      return;
    case "state":
      return move(batch, job, event, known);
    case "usage":
      if (event.sample > (batch.samples.at(-1)?.number ?? job.last_sample))
        batch.samples.push({
          number: event.sample,
          seconds: event.seconds,
          cpuSeconds: event.cpu_seconds,
          ramGb: event.ram_gb,
          run: event.run,
          network: networkOf(event),
          clock: event.clock,
        });
      batch.network = networkOf(event) ?? batch.network;
      return;
    case "break":
      batch.paused = event;
      batch.toPublish.push(event);
      return;
    case "exception":
    case "early":
      batch.toPublish.push(event);
      return;
    case "done":
      return finish(batch, job, event, known);
    case "progress":
      batch.running = event.running;
      for (const [node, status] of Object.entries(event.statuses)) {
        const [seconds, fires] = event.times[node] ?? [0, 0];
        batch.nodeRuns.set(Number(node), { wob_key: Number(node), run: event.run, status, seconds, fires });
      }
      for (const [node, bars] of Object.entries(event.bars)) batch.bars.set(Number(node), bars);
      return;
    case "installing":
      // Only the last of a batch: a worker may report as often as it likes.
      batch.installing = event.total > 0 ? event : null;
      return;
    case "output":
      batch.outputs.push(event);
      return;
    case "model":
      batch.models.push(event);
      return;
    case "ask_password":
      batch.questions.push(event);
      return;
    case "withdraw":
      batch.withdrawn.push(event.question);
      return;
    case "interrupting":
      batch.interrupting = event;
      return;
    case "planned":
    case "metrics":
    // Only about the run that is alive: see run-events.ts.
  }
}

function networkOf({ received_bytes: receivedBytes, sent_bytes: sentBytes }: Of<"usage">): Batch["network"] {
  return receivedBytes === undefined || sentBytes === undefined ? undefined : { receivedBytes, sentBytes };
}

function finish(batch: Batch, job: JobRow, event: Of<"done">, { names }: Known): void {
  if (event.command !== "run") {
    batch.toPublish.push(event);
    return;
  }
  const failed = event.failed.filter((node) => names.has(node));
  batch.toPublish.push({ ...event, failed });
  batch.interrupting = undefined;
  keepPackages(batch, event);
  batch.runEnds.push({ ...endOfCommand(event), command: event.number, lastSample: lastSampleOf(batch, job) });
  if (event.error) write(batch, logLevels.ERROR, Date.now(), event.error);
  // With one failed node, its exception is already the last line and names it.
  if (failed.length > 1) {
    const words = failedWords(failed.map((node) => names.get(node) ?? ""));
    write(batch, logLevels.ERROR, Date.now(), words);
  }
  if (event.interrupted) write(batch, logLevels.INFO, Date.now(), "Interrupted");
}

function lastSampleOf({ samples }: Batch, job: JobRow): number {
  return samples.at(-1)?.number ?? job.last_sample;
}

/** Whether the batch makes the database larger, so that it needs free disk. */
export function grows({ entries, outputs, models, questions, packages, paused }: Batch): boolean {
  return [entries, outputs, models, questions, packages].some(({ length }) => length > 0) || Boolean(paused);
}

/** The nodes that a batch names. */
export function nodesOf({
  nodeRuns,
  bars,
  running,
  outputs,
  models,
  questions,
  interrupting,
  toPublish,
}: Batch): number[] {
  const exceptions = toPublish.filter((event) => event.kind === "exception");
  const asked = questions.map(({ node = null }) => ({ node }));
  const named = [...outputs, ...models, ...asked, ...(interrupting?.nodes ?? []), ...exceptions];
  const nodes = [...nodeRuns.keys(), ...bars.keys(), running ?? null, ...named.map(({ node }) => node)];
  return nodes.filter((node) => node !== null);
}

/** Drops events about nodes of other workflows. */
export function keepOwn(batch: Batch, own: Pick<ReadonlySet<number>, "has">): void {
  const isOwn = ({ node }: { node: number | null }): boolean => node === null || own.has(node);
  for (const node of batch.nodeRuns.keys()) if (!own.has(node)) batch.nodeRuns.delete(node);
  for (const node of batch.bars.keys()) if (!own.has(node)) batch.bars.delete(node);
  if (batch.running && !own.has(batch.running)) batch.running = null;
  batch.outputs = batch.outputs.filter(isOwn);
  batch.models = batch.models.filter(isOwn);
  batch.questions = batch.questions.map((one) => (isOwn({ node: one.node ?? null }) ? one : { ...one, node: null }));
  if (batch.interrupting) batch.interrupting = { ...batch.interrupting, nodes: batch.interrupting.nodes.filter(isOwn) };
  batch.toPublish = batch.toPublish.filter((event) => event.kind !== "exception" || isOwn(event));
}

function keepPackages(batch: Batch, { run, packages }: { run: number; packages: Record<string, string> }): void {
  if (Object.keys(packages).length > 0) batch.packages.push({ run, packages });
}

/** Accepts a reported state if the state machine allows it and no newer command has overtaken it. */
function move(batch: Batch, job: JobRow, event: Of<"state">, { notice, names }: Known): void {
  const isOld = isAlive(event.state) && event.command < job.state_command;
  if (isOld || !canTransition(batch.state, event.state)) return;
  const isBorn = batch.state === "STARTING" || batch.state === "QUEUED";
  if (isBorn && event.state === "READY") write(batch, logLevels.INFO, Date.now(), notice);
  batch.state = event.state;
  batch.states.push(event.state);
  if (event.state !== "RESUMEREADY") batch.paused = null;
  if (event.state !== "RUNNING") batch.installing = null;
  const reason = (event.death && blame(batch, event.death, names)) ?? event.reason;
  const end = endOfSession(job.state, event, reason ?? "");
  if (end) batch.runEnds.push({ ...end, command: undefined, lastSample: lastSampleOf(batch, job) });
  if (reason) write(batch, event.state === "ERROR" ? logLevels.ERROR : logLevels.INFO, Date.now(), reason);
}

/** Marks the nodes that were running when the worker died as failed. Undefined when there were none. */
function blame(batch: Batch, death: WorkerDeath, names: Known["names"]): string | undefined {
  const nodes = death.nodes.filter(({ node }) => names.has(node));
  if (nodes.length === 0) return undefined;
  const words = deathWords(
    nodes.map(({ node }) => names.get(node) ?? ""),
    death,
  );
  batch.blamed = nodes.map(({ node }) => node);
  batch.running = null;
  const traceback = [death.traceback.trimEnd(), words].filter(Boolean).join("\n");
  for (const place of nodes) batch.toPublish.push({ kind: "exception", ...place, traceback, frames: [] });
  return words;
}

/** Appends a line of ours, or of the processor. */
export function write(batch: Batch, tag: number, at: number, text: string, node?: number | null): void {
  const entries = toEntries(batch.lastLine + 1, tag, at, text, node);
  const last = entries.at(-1);
  if (!last) return;
  batch.entries.push(...entries);
  batch.lastLine = last[0] + last[1] - 1;
  batch.logBytes += text.length + 1;
}
