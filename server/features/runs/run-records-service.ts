import type { Run, RunState } from "@miranda/contract/schemas/runs.ts";

import { runHistory as limits } from "../../limits.ts";
import { newId } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import { storableJson, storableText } from "../../platform/database/storable-json.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Realtime } from "../realtime/realtime-service.ts";
import {
  type AliveRun,
  type LastOf,
  type NewRun,
  type NodeReport,
  type NodeRow,
  type PlannedNode,
  type ReportedException,
  runRecords as queries,
  type ServedRun,
  type Used,
} from "./run-records-queries.ts";
import { readUsage } from "./run-usage-queries.ts";
import { toRun, withoutContent } from "./run-view.ts";
import { createRunQueries } from "./runs-queries.ts";
import { safely } from "../../platform/errors/safely.ts";

export type { AliveRun, NodeReport, PlannedNode, ReportedException, ServedRun };

/** How a run ended. */
export interface RunEnd {
  state: Exclude<RunState, "running" | "paused">;
  /** Empty when it needs no explanation. */
  reason: string;
  packages: Record<string, string>;
}

/** A sample that came after the end of a run. */
export interface LastUse {
  sample: number;
  used: NonNullable<RunReport["used"]>;
}

/** What a batch of an agent's events says about the run that is alive. */
export interface RunReport {
  plan: { nodes: PlannedNode[]; python: string; names: ReadonlyMap<number, string> | undefined } | undefined;
  nodes: NodeReport[];
  exceptions: ReportedException[];
  /** The nodes that were running when the worker died. */
  blamed: number[];
  used: Used | undefined;
  /** Whether the session is paused now. Undefined when that has not changed. */
  state: "running" | "paused" | undefined;
  /** Whether packages are being installed. Undefined when that has not changed. */
  isInstalling: boolean | undefined;
  end: RunEnd | undefined;
  last: LastOf;
}

/** A run that was recorded, and how: what is published after the transaction. */
export interface Recorded {
  id: string;
  state: RunState;
  /** Whether people should hear of it at once. */
  isNews: boolean;
  hasEnded: boolean;
}

interface EndOfRun {
  last?: LastOf;
  used?: RunReport["used"];
  python?: string | undefined;
  isBrief?: boolean;
}

interface Dependencies {
  db: Db;
  realtime: Pick<Realtime, "publish">;
  report: (error: unknown) => void;
}

export type RunRecords = ReturnType<typeof createRunRecords>;

/** Records what sessions do in runs. Everything with `trx` is called inside the transaction that locks the session. */
export function createRunRecords({ db, realtime, report }: Dependencies) {
  const reading = createRunQueries(db);
  const endListeners: ((run: Run) => void)[] = [];
  const settledListeners: (() => void)[] = [];
  const published = new Map<string, number>();
  /** The calls that are shown soon. */
  const waitingCalls = new Map<string, NodeJS.Timeout>();

  async function end(trx: Db, runId: string, given: RunEnd, more: EndOfRun = {}): Promise<boolean> {
    const { last = ofSession, used, python, isBrief = false } = more;
    const reason = given.reason || (given.state === "failed" ? await firstError(trx, runId) : "");
    const usage = isBrief ? null : await readUsage(trx, runId);
    return queries.end(trx, runId, {
      state: given.state,
      reason,
      last,
      used,
      python: python === undefined ? undefined : storableText(python),
      packages: storableJson(given.packages),
      usage: usage && JSON.stringify(usage),
    });
  }

  async function firstError(trx: Db, runId: string): Promise<string> {
    const traceback = (await queries.firstTraceback(trx, runId)) ?? "";
    return traceback.trimEnd().split("\n").at(-1) ?? "";
  }

  /** Tells those who have the workflow open. Undefined when the run is deleted. */
  async function show(id: string): Promise<Run | undefined> {
    const row = await reading.find(id);
    if (!row || row.ended_at !== null) published.delete(id);
    if (!row) return undefined;
    const run = toRun(row);
    const forReaders = row.source === "person" ? run : withoutContent(run);
    realtime.publish(row.graph_id, "update[RUN]", { run }, { run: forReaders });
    return run;
  }

  async function publish({ id, isNews, hasEnded }: Omit<Recorded, "state">): Promise<void> {
    const now = Date.now();
    if (!isNews && now - (published.get(id) ?? 0) < limits.publishedEvery) return;
    // Runs that another server ended would stay in it.
    if (published.size > publishedMost) published.clear();
    published.set(id, now);
    const run = await show(id);
    if (!run) return;
    if (hasEnded) for (const listener of endListeners) listener(run);
    else if (run.time_ended !== null) for (const listener of settledListeners) listener();
  }

  return {
    findAlive: queries.findAlive,
    findServed: queries.findServed,
    findRepeated: (graphId: string, runId: string) => queries.findRepeated(db, graphId, runId),
    knownNodes: queries.knownNodes,

    /** Calls the listener after each run that has ended. A server that is killed meanwhile does not call it. */
    onEnd(listener: (run: Run) => void): void {
      endListeners.push(listener);
    },

    /** Calls the listener when the last of the cost of a run that has ended may be known. */
    onSettled(listener: () => void): void {
      settledListeners.push(listener);
    },

    /** A run begins with the command that the session is given, both or neither. */
    async begin(trx: Db, run: Omit<NewRun, "id">): Promise<Recorded> {
      const id = newId();
      if (!(await queries.insert(trx, { ...run, id }))) throw new AppError("graph_not_found");
      return { id, state: "running", isNews: true, hasEnded: false };
    },

    async record(trx: Db, run: AliveRun, given: RunReport): Promise<Recorded | undefined> {
      const { plan, used, last } = given;
      const nodes = nodesToStore(given);
      if (nodes.length > 0) await queries.saveNodes(trx, run.id, nodes);
      if (given.exceptions.length > 0) await queries.saveExceptions(trx, run.id, given.exceptions);
      if (given.blamed.length > 0) await queries.markFailed(trx, run.id, given.blamed);
      if (given.end) {
        // A call that was over at once has one sample at most: there is no curve to draw.
        const isBrief = plan?.names !== undefined;
        const hasEnded = await end(trx, run.id, given.end, { last, used, python: plan?.python, isBrief });
        return { id: run.id, state: given.end.state, isNews: true, hasEnded };
      }
      if (used) await queries.addCost(trx, run.id, used);
      const state = given.state ?? run.state;
      if (state !== run.state) await queries.setState(trx, run.id, state);
      const isCounted = given.nodes.length + given.exceptions.length > 0 || plan !== undefined;
      if (isCounted) await queries.countNodes(trx, run.id, plan && storableText(plan.python));
      const { isInstalling } = given;
      const installs = isInstalling !== undefined && (await queries.setInstalling(trx, run.id, isInstalling));
      const isNews = plan !== undefined || state !== run.state || installs;
      return isCounted || isNews || used ? { id: run.id, state, isNews, hasEnded: false } : undefined;
    },

    /** The last sample of a run comes after its end. */
    async addLast(
      trx: Db,
      { last_run_id: id, last_run_state: state }: { last_run_id: string | null; last_run_state: RunState | null },
      { sample, used }: LastUse,
    ): Promise<Recorded | undefined> {
      if (id === null || state === null || !(await queries.isLastSample(trx, id, sample))) return undefined;
      await queries.addCost(trx, id, used);
      await queries.saveUsage(trx, id, await readUsage(trx, id));
      return { id, state, isNews: true, hasEnded: false };
    },

    /** Adds a sample that came after the end of a call. */
    async addLate(trx: Db, runId: string, used: RunReport["used"]): Promise<void> {
      if (used) await queries.addCost(trx, runId, used);
    },

    /** Ends the run of a session that the server ends. Undefined when none is alive. */
    async endOf(trx: Db, jobId: string, given: Omit<RunEnd, "packages">): Promise<Recorded | undefined> {
      const run = await queries.findAlive(trx, jobId);
      if (!run || !(await end(trx, run.id, { ...given, packages: {} }))) return undefined;
      await queries.tellSession(trx, run.id, given.state);
      return { id: run.id, state: given.state, isNews: true, hasEnded: true };
    },

    /** Ends runs whose session is over, and that nobody ended: no run may stay alive for ever. */
    async endForgotten(): Promise<void> {
      for (const { id } of await queries.listForgotten(db)) {
        const given: RunEnd = { state: "lost", reason: forgotten, packages: {} };
        const isEnded = await db.transaction().execute(async (trx) => {
          await queries.tellSession(trx, id, given.state);
          return end(trx, id, given);
        });
        if (isEnded) await publish({ id, isNews: true, hasEnded: true });
      }
    },

    /** A call: many of them may run in a second, so that people see only some of them at once. No news are made of it. */
    publishCall({ id, hasEnded }: Recorded): void {
      if (!hasEnded || waitingCalls.size >= limits.callsPublished) return;
      const timer = setTimeout(
        safely(() => {
          waitingCalls.delete(id);
          void show(id).catch(report);
        }),
        limits.publishedEvery,
      );
      waitingCalls.set(id, timer);
    },

    /** Shows no more calls: the server stops. */
    close(): void {
      for (const timer of waitingCalls.values()) clearTimeout(timer);
    },

    /** After the transaction. Nothing waits for it. */
    publish(recorded: Recorded | undefined): void {
      if (recorded) void publish(recorded).catch(report);
    },

    /** Runs of the last days whose version was not made: their server was killed just then. */
    listUnversioned: () => queries.listUnversioned(db),

    linkVersion: async (runIds: readonly string[], versionId: string, revision: number): Promise<void> => {
      await queries.linkVersion(db, runIds, versionId, revision);
      for (const id of runIds) await publish({ id, isNews: true, hasEnded: false });
    },
  };
}

/** The rows of nodes that a plan names, that a report names, or both. */
function nodesToStore({ plan, nodes }: RunReport): NodeRow[] {
  const rows = new Map<number, NodeRow>();
  for (const { node, run, reason, result } of plan?.nodes ?? []) {
    const name = plan?.names?.get(node);
    const status = run ? "waiting" : "";
    rows.set(node, { node, name, run, reason, result, status, ...nothingDone, isReported: false });
  }
  for (const report of nodes) {
    const planned = rows.get(report.node) ?? { name: undefined, reason: "", result: null };
    rows.set(report.node, { ...planned, ...report, run: true, isReported: true });
  }
  return [...rows.values()];
}

const nothingDone = { seconds: 0, fires: 0, spans: [], seed: null };
const publishedMost = 10_000;
const ofSession: LastOf = { lastLine: null, lastSample: null };
const forgotten = "The session ended without a report about this run.";
