import { canTransition, isAlive, type WorkflowState } from "@miranda/contract/processor.ts";
import { logLevels } from "@miranda/contract/limits.ts";
import type { NodeRun } from "@miranda/contract/schemas/processors.ts";

import type { Sample } from "../../billing/billing-service.ts";
import type { Network } from "./measured-usage.ts";
import type { JobRow } from "../jobs/jobs-queries.ts";
import { type StoredEntry, toEntries } from "../logs/log-entries.ts";
import { deathWords, failedWords } from "../jobs/ending-words.ts";
import type { RunnerEvent, WorkerDeath } from "@miranda/contract/protocol/agent.ts";
import type { ProgressBar } from "@miranda/contract/protocol/worker.ts";

type Of<Kind extends RunnerEvent["kind"]> = Extract<RunnerEvent, { kind: Kind }>;

/** What a batch of events comes to: everything that has to be stored, worked out before the database is asked. */
export interface Batch {
  state: WorkflowState;
  states: WorkflowState[];
  entries: StoredEntry[];
  lastLine: number;
  logBytes: number;
  partials: Of<"partial">[];
  samples: Sample[];
  /** What went over the network since the session began, as far as the agent counts it. */
  network: Network | undefined;
  paused: Of<"break"> | null | undefined;
  /** How far the installation of packages is, null when it is over, undefined when that is as it was. */
  installing: Of<"installing"> | null | undefined;
  /** What the nodes of runs that ended imported from. */
  packages: { run: number; packages: Record<string, string> }[];
  /** What each of those nodes did in its run so far. */
  nodeRuns: Map<number, NodeRun>;
  running: number | null | undefined;
  /** The bars that those nodes have now. Nobody stores them: they go with the run. */
  bars: Map<number, ProgressBar[]>;
  outputs: Of<"output">[];
  models: Of<"model">[];
  questions: Of<"ask_password">[];
  /** Questions that nobody waits for any more. */
  withdrawn: number[];
  /** What an interrupt waits for, as it was told last. */
  interrupting: Of<"interrupting"> | undefined;
  /** The nodes that ran when the worker died. */
  blamed: number[];
  /** What is told to people in this order, besides. */
  toPublish: (Of<"break"> | Of<"exception"> | Of<"done"> | Of<"early">)[];
}

/** What the database knows and a batch does not say. */
interface Known {
  /** The first line of a session's log. */
  notice: string;
  /** The names of those nodes of `namedIn` that are the workflow's own. */
  names: ReadonlyMap<number, string>;
}

/** The nodes whose names are said in the log. */
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
      return finish(batch, event, known);
    case "progress":
      batch.running = event.running;
      for (const [node, status] of Object.entries(event.statuses)) {
        const [seconds, fires] = event.times[node] ?? [0, 0];
        batch.nodeRuns.set(Number(node), { wob_key: Number(node), run: event.run, status, seconds, fires });
      }
      for (const [node, bars] of Object.entries(event.bars)) batch.bars.set(Number(node), bars);
      return;
    case "installing":
      // Only the last of a batch: a worker may say it as often as it likes.
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
  }
}

function networkOf({ received_bytes: receivedBytes, sent_bytes: sentBytes }: Of<"usage">): Batch["network"] {
  return receivedBytes === undefined || sentBytes === undefined ? undefined : { receivedBytes, sentBytes };
}

function finish(batch: Batch, event: Of<"done">, { names }: Known): void {
  if (event.command !== "run") {
    batch.toPublish.push(event);
    return;
  }
  const failed = event.failed.filter((node) => names.has(node));
  batch.toPublish.push({ ...event, failed });
  batch.interrupting = undefined;
  keepPackages(batch, event);
  if (event.error) write(batch, logLevels.ERROR, Date.now(), event.error);
  // The exception of a single one is the last line already, and says whose it is.
  if (failed.length > 1) {
    const words = failedWords(failed.map((node) => names.get(node) ?? ""));
    write(batch, logLevels.ERROR, Date.now(), words);
  }
  if (event.interrupted) write(batch, logLevels.INFO, Date.now(), "Interrupted");
}

/** Whether it adds to what the database keeps, so that it needs room on its disk. */
export function grows({ entries, outputs, models, questions, packages, paused }: Batch): boolean {
  return [entries, outputs, models, questions, packages].some(({ length }) => length > 0) || Boolean(paused);
}

/** The nodes that a batch is about. */
export function nodesOf({
  nodeRuns,
  bars,
  running,
  outputs,
  models,
  questions,
  interrupting,
  toPublish: told,
}: Batch): number[] {
  const exceptions = told.filter((event) => event.kind === "exception");
  const asked = questions.map(({ node = null }) => ({ node }));
  const named = [...outputs, ...models, ...asked, ...(interrupting?.nodes ?? []), ...exceptions];
  const nodes = [...nodeRuns.keys(), ...bars.keys(), running ?? null, ...named.map(({ node }) => node)];
  return nodes.filter((node) => node !== null);
}

/** Leaves out what is about nodes of other workflows: a session has nothing to say about them. */
export function keepOwn(batch: Batch, own: ReadonlySet<number>): void {
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

/** What the agent says of its state counts if the machine allows it and no newer command has overtaken it. */
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
  if (reason) write(batch, event.state === "ERROR" ? logLevels.ERROR : logLevels.INFO, Date.now(), reason);
}

/** Marks the nodes that ran when the worker died, as if each had raised something. Undefined when none did. */
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
  for (const place of nodes) batch.toPublish.push({ kind: "exception", ...place, traceback });
  return words;
}

/** A line of our own, or the processor's. */
export function write(batch: Batch, tag: number, at: number, text: string, node?: number | null): void {
  const entries = toEntries(batch.lastLine + 1, tag, at, text, node);
  const last = entries.at(-1);
  if (!last) return;
  batch.entries.push(...entries);
  batch.lastLine = last[0] + last[1] - 1;
  batch.logBytes += text.length + 1;
}
