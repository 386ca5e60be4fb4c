import type { WorkflowState } from "@miranda/contract/processor.ts";

import type { Engine, EngineRef } from "../../../engines/engine.ts";
import type { Db } from "../../../platform/database/database.ts";
import { isFullDisk } from "../../../platform/limits/full-disk.ts";
import type { ProcessorSettings } from "../../../platform/settings/processor-settings.ts";
import type { Graphs } from "../../graphs/graphs-service.ts";
import { createIdleQueries } from "./idle-jobs-queries.ts";
import { createIdleWatch } from "./idle-jobs.ts";
import type { JobQueries } from "./jobs-queries.ts";
import { eachAccount } from "../../projects/projects-queries.ts";
import { type AgedJob, listAged, listUnentitled } from "./aged-jobs-queries.ts";
import { notStarted, type Sessions } from "./job-lifecycle.ts";
import { safely } from "../../../platform/errors/safely.ts";

interface Dependencies {
  db: Db;
  jobs: JobQueries;
  engine: Engine;
  sessions: Sessions;
  /** Stores what an agent that is gone had not sent. How many lines that were, and how many are missing. */
  takeUnsent: (jobId: string, files: readonly string[]) => Promise<{ lines: number; missing: number }>;
  accessExpression: Graphs["accessExpression"];
  settings: ProcessorSettings;
  /** Ends runs of ended sessions that nobody ended. */
  endForgottenRuns: () => Promise<void>;
  /** Stops what nobody answered for, and what does not pause. */
  watchBudgets: (report: (error: unknown) => void) => Promise<void>;
  /** The accounts that are present in a workflow. */
  presentIn: (graphId: string) => Promise<string[]>;
  report: (error: unknown, what: string) => void;
}

const tick = 1_000;
const orphansEvery = 3;
// How many seconds an agent may still report its last lines after its session ended.
const lastWords = 5;
// Extra seconds before a stop is forced.
const stopMargin = 2;
const lostMargin = 60;
/** In seconds. Agents report every two seconds. */
const justNow = 1;
/** One a second. */
const mostAttempts = 120;

const processGone = "The processor's process is gone: it was killed or its machine restarted.";
const unentitled = "The session was stopped: the person who started it may no longer change the workflow.";
const unsentWords = (lines: number, missing: number): string =>
  (lines > 0 ? ` ${counted(lines)} that it had not sent ${lines === 1 ? "was" : "were"} brought in.` : "") +
  (missing > 0 ? ` ${counted(missing)} ${missing === 1 ? "is" : "are"} missing.` : "");
const counted = (lines: number): string => (lines === 1 ? "One line" : `${lines.toLocaleString("en")} lines`);
const lostFor = (reason?: string): string =>
  `The processor was given up: it sent nothing for too long${reason ? `, and ${reason}` : "."}`;

/** Once a second, compares the database with what really runs, and corrects it. */
export function watchJobs(deps: Dependencies) {
  const { db, jobs, engine, sessions, settings, report } = deps;
  const accessOfAccounts = deps.accessExpression(eachAccount);
  const endIdle = createIdleWatch({
    queries: createIdleQueries(db, accessOfAccounts),
    ...{ jobs, sessions, presentIn: deps.presentIn, idleSeconds: settings.idleSeconds },
  });
  let busy: Promise<void> | undefined;
  let ticks = 0;
  let isAway = false;
  /** Sessions whose agents may have ended, as the engine says. */
  let suspected = new Set<string>();
  const endWatching = typeof engine.watch === "function" ? engine.watch((id) => suspected.add(id)) : undefined;
  const attempts = new Map<string, number>();

  /** Its launch is recorded, and to look at it costs nothing or is worth it. Who has just reported is there. */
  const isLookedAt = ({ engine_ref: ref, silence }: AgedJob, isSuspected: boolean): boolean =>
    ref !== null && (isSuspected || (engine.watch === true && silence > justNow));

  /** A launched session without any report may have failed at once. */
  const patienceFor = (state: WorkflowState, ref: EngineRef | null): number =>
    state === "STARTING" && ref !== null ? Math.min(3, settings.lostSeconds) : settings.lostSeconds;

  /** Retries a launch that failed because the engine did not answer. */
  async function lookAgain(id: string, away: number): Promise<void> {
    const isLast = away > settings.engineAwaySeconds;
    const found = await engine.inspect(id, null);
    if (found.state !== "unknown") await sessions.retry(id, { isLast });
    else if (isLast) await sessions.finish(id, "ERROR", { reason: notStarted(found.reason ?? ""), from: ["QUEUED"] });
  }

  async function lookAt(job: AgedJob, isSuspected: boolean): Promise<void> {
    const { id, state, silence, age, away, graph_id, engine_ref: ref } = job;
    if (state === "KILLING") {
      const isLate = age > settings.graceSeconds + stopMargin;
      const isGone = ref !== null && (await engine.inspect(id, ref)).state === "gone";
      if (isGone) await takeUnsent(id);
      if (isLate || isGone) await sessions.forceStop(id, ref, age > settings.graceSeconds * 2 + lostMargin);
      return;
    }
    if (graph_id === null) {
      await sessions.stop(id, { reason: "The session was stopped: its workflow was deleted." });
      return;
    }
    if (state === "QUEUED" && away !== null) return lookAgain(id, away);
    if (state !== "QUEUED" && silence <= patienceFor(state, ref) && !isLookedAt(job, isSuspected)) return;
    const found = await engine.inspect(id, ref);
    if (found.state === "waiting") await sessions.hold(id, found.reason ?? "");
    if (found.state === "running" && state === "QUEUED") await sessions.unhold(id);
    // Without a server an agent ends itself in that time, so this one is gone.
    const isLost = found.state === "unknown" && silence > settings.giveUpSeconds + lostMargin;
    if (isLost) {
      // An engine that does not answer cannot end it. Later it is found as an orphan.
      await engine.stop(id, ref).catch((error: unknown) => report(error, "ending a lost processor failed"));
      await sessions.finish(id, "ERROR", { reason: lostFor(found.reason) });
    } else if (found.state === "gone") {
      await engine.stop(id, ref);
      const taken = await takeUnsent(id);
      await sessions.finish(id, "ERROR", { reason: `${found.reason ?? processGone}${taken}` });
    }
  }

  /** Says what became of the lines that the agent had not sent; nothing when it had sent all. */
  async function takeUnsent(id: string): Promise<string> {
    const files = await engine.unsent?.(id);
    if (!files || files.length === 0) return "";
    try {
      const { lines, missing } = await deps.takeUnsent(id, files);
      attempts.delete(id);
      return unsentWords(lines, missing);
    } catch (error) {
      // A database that is away may take them at the next look. What it can never store must not keep the session alive.
      const count = (attempts.get(id) ?? 0) + 1;
      attempts.set(id, count);
      // A full disk has room again when somebody has seen to it.
      if (count < mostAttempts || isFullDisk(error)) throw error;
      attempts.delete(id);
      report(error, "taking what an agent had not sent failed");
      return " What it had not sent could not be stored.";
    }
  }

  async function look(): Promise<void> {
    const seen = suspected;
    suspected = new Set();
    for (const job of await listAged(db))
      await lookAt(job, seen.has(job.id)).catch((error: unknown) => report(error, "looking after a processor failed"));
  }

  /** Ends processes that no living session owns: a server was killed between launching and recording one. */
  async function endOrphans(): Promise<void> {
    const running = await engine.list().catch((error: unknown) => {
      if (!isAway) report(error, "the engine does not answer");
      isAway = true;
    });
    isAway &&= running === undefined;
    if (!running || running.length === 0) return;
    const owned = await jobs.findOwned(running, lastWords);
    for (const id of running) {
      if (owned.has(id)) continue;
      // One that cannot be ended now must not keep the others.
      await engine.stop(id, null).catch((error: unknown) => report(error, "ending an orphan failed"));
    }
  }

  /** A person who lost access to a workflow must not go on paying for it. */
  async function endUnentitled(): Promise<void> {
    for (const id of await listUnentitled(db, accessOfAccounts)) await sessions.stop(id, { reason: unentitled });
  }

  async function watchOnce(): Promise<void> {
    await look();
    await deps.endForgottenRuns();
    await deps.watchBudgets((error) => report(error, "looking after a budget failed"));
    await endIdle();
    if (ticks % orphansEvery === 0) {
      await endOrphans();
      await endUnentitled();
    }
    sessions.pump();
    ticks += 1;
  }

  const timer = setInterval(
    safely(() => {
      busy ??= watchOnce()
        .catch((error: unknown) => report(error, "watching the processors failed"))
        .finally(() => (busy = undefined));
    }),
    tick,
  );

  return {
    async close(): Promise<void> {
      clearInterval(timer);
      endWatching?.();
      await busy;
    },
  };
}
