import { canTransition, isAlive, type WorkflowState } from "@miranda/contract/processor.ts";
import { logLevels } from "@miranda/contract/limits.ts";
import type { NodeRun } from "@miranda/contract/schemas/processors.ts";

import type { Sample } from "../billing/billing-service.ts";
import type { JobRow } from "./jobs-queries.ts";
import { type StoredEntry, toEntries } from "./log-entries.ts";
import type { RunnerEvent } from "@miranda/contract/protocol/agent.ts";
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
  /** What is told to people in this order, besides. */
  told: (Of<"break"> | Of<"exception"> | Of<"done"> | Of<"early">)[];
}

export function gather(job: JobRow, events: readonly RunnerEvent[], notice: string): Batch {
  const batch: Batch = {
    state: job.state,
    states: [],
    entries: [],
    lastLine: job.last_line,
    logBytes: 0,
    partials: [],
    samples: [],
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
    told: [],
  };
  for (const event of events) add(batch, job, event, notice);
  return batch;
}

function add(batch: Batch, job: JobRow, event: RunnerEvent, notice: string): void {
  switch (event.kind) {
    case "log":
      return write(batch, event.tag, event.at, event.text, event.node);
    case "partial":
      batch.partials.push(event);
      return;
    case "state":
      return move(batch, job, event, notice);
    case "usage":
      if (event.sample > (batch.samples.at(-1)?.number ?? job.last_sample))
        batch.samples.push({
          number: event.sample,
          seconds: event.seconds,
          cpuSeconds: event.cpu_seconds,
          ramGb: event.ram_gb,
        });
      return;
    case "break":
      batch.paused = event;
      batch.told.push(event);
      return;
    case "exception":
    case "early":
      batch.told.push(event);
      return;
    case "done":
      batch.told.push(event);
      if (event.command === "run") keepPackages(batch, event);
      if (event.command === "run" && event.error) write(batch, logLevels.ERROR, Date.now(), event.error);
      return;
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
  }
}

/** Whether it adds to what the database keeps, so that it needs room on its disk. */
export function grows({ entries, outputs, models, questions, packages, paused }: Batch): boolean {
  return [entries, outputs, models, questions, packages].some(({ length }) => length > 0) || Boolean(paused);
}

/** The nodes that a batch is about. */
export function nodesOf({ nodeRuns, bars, running, outputs, models, told }: Batch): number[] {
  const named = [...outputs, ...models, ...told.filter((event) => event.kind === "exception")];
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
  batch.told = batch.told.filter((event) => event.kind !== "exception" || isOwn(event));
}

function keepPackages(batch: Batch, { run, packages }: { run: number; packages: Record<string, string> }): void {
  if (Object.keys(packages).length > 0) batch.packages.push({ run, packages });
}

/** What the agent says of its state counts if the machine allows it and no newer command has overtaken it. */
function move(batch: Batch, job: JobRow, event: Of<"state">, notice: string): void {
  const isOld = isAlive(event.state) && event.command < job.state_command;
  if (isOld || !canTransition(batch.state, event.state)) return;
  const isBorn = batch.state === "STARTING" || batch.state === "QUEUED";
  if (isBorn && event.state === "READY") write(batch, logLevels.INFO, Date.now(), notice);
  batch.state = event.state;
  batch.states.push(event.state);
  if (event.state !== "RESUMEREADY") batch.paused = null;
  if (event.state !== "RUNNING") batch.installing = null;
  if (event.reason) write(batch, event.state === "ERROR" ? logLevels.ERROR : logLevels.INFO, Date.now(), event.reason);
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
