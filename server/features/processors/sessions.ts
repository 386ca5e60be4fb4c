import type { ServerEvents } from "@miranda/contract/events.ts";
import { logsEvent } from "@miranda/contract/events.ts";
import { logLevels } from "@miranda/contract/limits.ts";
import { isAlive, type WorkflowState } from "@miranda/contract/processor.ts";

import type { Engine, EngineRef } from "../../engines/engine.ts";
import { hashToken, randomToken } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database.ts";
import type { ProcessorSettings } from "../../platform/processor-settings.ts";
import type { WakeUps } from "../../platform/wake-ups.ts";
import { toJobSummary } from "./job-view.ts";
import type { JobQueries, JobRow, ListedJob } from "./jobs-queries.ts";
import { toEntries, toLogEntry } from "./log-entries.ts";
import type { LogQueries } from "./logs-queries.ts";
import type { Demand } from "./runner-graph.ts";
import type { Publish } from "./runner-service.ts";

interface Dependencies {
  jobs: JobQueries;
  logs: LogQueries;
  engine: Engine;
  wakeUps: WakeUps;
  settings: ProcessorSettings;
  publish: Publish;
  publishToAccount: (accountId: string, action: string, data?: unknown) => void;
  report: (error: unknown, what: string) => void;
}

export type Sessions = ReturnType<typeof createSessions>;

/** The life of sessions: out of the queue, into the engine, to their end. */
export function createSessions(deps: Dependencies) {
  const { jobs, logs, engine, settings, publish } = deps;
  let pumping: Promise<void> | undefined;
  let pumpAgain = false;

  function announce(job: ListedJob, event: "new[DOCKER_JOB]" | "update[DOCKER_JOB]" = "update[DOCKER_JOB]"): void {
    const summary: Parameters<ServerEvents["update[DOCKER_JOB]"]>[0] = toJobSummary(job);
    if (job.graph_id) publish(job.graph_id, event, summary);
    deps.publishToAccount(job.account_id, event, summary);
  }

  async function announceById(id: string): Promise<void> {
    const job = await jobs.find(id);
    if (job) announce(job);
  }

  /** A line of ours in a session's log, numbered like those of its agent. */
  async function say(trx: Db, job: JobRow, tag: number, text: string): Promise<() => void> {
    const locked = await trx
      .selectFrom("jobs")
      .select(["last_line", "log_bytes"])
      .where("id", "=", job.id)
      .forUpdate()
      .executeTakeFirst();
    if (!locked) return () => undefined;
    const entries = toEntries(locked.last_line + 1, tag, Date.now(), text);
    const last = entries.at(-1);
    if (!last) return () => undefined;
    await logs.append(trx, job.id, entries, text.length);
    await jobs.update(job.id, { last_line: last[0] + last[1] - 1, log_bytes: locked.log_bytes + text.length }, trx);
    const { graph_id } = job;
    return () => graph_id && publish(graph_id, logsEvent(job.id), entries.map(toLogEntry));
  }

  /** Ends a session from here, with its reason as the last line of its log. */
  async function finish(id: string, to: "ERROR" | "EXITED", reason: string, from?: WorkflowState[]): Promise<boolean> {
    const done = await jobs.inTransaction(async (trx) => {
      const job = await jobs.transition(id, to, from ? { from } : {}, trx);
      if (!job) return undefined;
      return say(trx, job, to === "ERROR" ? logLevels.ERROR : logLevels.INFO, reason);
    });
    if (!done) return false;
    done();
    await announceById(id);
    pump();
    deps.wakeUps.wake(`job:${id}`);
    return true;
  }

  /** Asks a session to end. One that waits in the queue just leaves it. */
  async function stop(id: string, reason: string | null, by: string | null): Promise<boolean> {
    if (await finishQueued(id, reason)) return true;
    const stopped = await jobs.inTransaction(async (trx) => {
      const job = await jobs.transition(
        id,
        "KILLING",
        { from: ["STARTING", "READY", "RUNNING", "RESUMEREADY", "RESTARTING"] },
        trx,
      );
      if (!job) return false;
      const number = await jobs.addCommand(trx, id, { command: "stop", state: "EXITED", reason }, by);
      await jobs.update(id, { state_command: number }, trx);
      return true;
    });
    if (!stopped) return false;
    deps.wakeUps.wake(`job:${id}`);
    await announceById(id);
    return true;
  }

  async function finishQueued(id: string, reason: string | null): Promise<boolean> {
    return finish(id, "EXITED", reason ?? "The session was stopped before it started.", ["QUEUED", "UNINITIALIZED"]);
  }

  /** Starts what has room, one after the other. */
  function pump(): void {
    pumpAgain = true;
    pumping ??= (async () => {
      while (pumpAgain) {
        pumpAgain = false;
        for (;;) {
          const token = randomToken();
          const job = await jobs.takeNext(settings, hashToken(token));
          if (!job) break;
          await launch(job, token);
        }
      }
    })()
      .catch((error: unknown) => deps.report(error, "the queue failed"))
      .finally(() => {
        pumping = undefined;
        if (pumpAgain) pump();
      });
  }

  async function launch(job: JobRow, token: string): Promise<void> {
    void announceById(job.id).catch(() => undefined);
    const { ram_gb, max_minutes } = job.demand as Partial<Demand>;
    let ref: EngineRef;
    try {
      ref = await engine.launch({
        jobId: job.id,
        token,
        storage: job.graph_id ?? "none",
        ramBytes: ram_gb ? ram_gb * 1e9 : settings.ramBytes,
        maxSeconds: (max_minutes ?? 0) * 60,
      });
    } catch (error) {
      await finish(job.id, "ERROR", `The processor could not be started: ${(error as Error).message}`);
      return;
    }
    await jobs.update(job.id, { engine_ref: JSON.stringify(ref) });
    const now = await jobs.find(job.id);
    // Stopped while it was being made: nobody else knows yet what there is to end.
    if (!now || !isAlive(now.state) || now.state === "KILLING") await forceStop(job.id, ref);
  }

  async function forceStop(id: string, ref: EngineRef | null): Promise<void> {
    await engine.stop(id, ref);
    await finish(id, "EXITED", "The session was stopped.", ["KILLING"]);
  }

  return { announce, announceById, finish, stop, forceStop, pump, idle: async () => pumping };
}
