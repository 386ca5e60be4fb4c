import type { ServerEvents } from "@miranda/contract/events.ts";
import { logsEvent } from "@miranda/contract/events.ts";
import { logLevels } from "@miranda/contract/limits.ts";
import { isAlive, type WorkflowState } from "@miranda/contract/processor.ts";
import { setTimeout as sleep } from "node:timers/promises";

import { type Engine, EngineAway, type EngineRef } from "../../../engines/engine.ts";
import { messageOf } from "../../../platform/errors/error-details.ts";
import { hashToken, randomToken } from "../../../platform/crypto.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { ProcessorSettings } from "../../../platform/settings/processor-settings.ts";
import type { Notifications } from "../../../platform/database/pg-notifications.ts";
import type { RunRecords } from "../../runs/run-records-service.ts";
import { createEngineAway, type Retry } from "./engine-away.ts";
import { toJobSummary } from "./job-view.ts";
import { canvasOf, type JobQueries, type JobRow, roomOf } from "./jobs-queries.ts";
import { endOfStopped } from "./run-ends.ts";
import { toEntries, toLogEntry } from "../logs/log-entries.ts";
import type { LogQueries } from "../logs/logs-queries.ts";
import { type Publish, publishOf } from "../agent/publish.ts";
import { markStopped } from "../agent/node-runs-queries.ts";
import { publishNodes } from "../agent/node-progress.ts";
import { safely } from "../../../platform/errors/safely.ts";

interface Dependencies {
  jobs: JobQueries;
  logs: LogQueries;
  engine: Engine;
  notifications: Notifications;
  settings: ProcessorSettings;
  publish: Publish;
  publishToAccount: (accountId: string, action: string, data?: unknown) => void;
  runs: Pick<RunRecords, "endOf" | "publish">;
  /** The server has ended a session. */
  onFinished: (job: JobRow, runId: string | undefined) => void;
  report: (error: unknown, what: string) => void;
}

// A launch may wait for an image. The ones behind it must not.
const launchesAtOnce = 16;
const closingPatience = 5_000;
const stopped = "The session was stopped.";
const placeNeeded = "Ended: it waited for calls, and another session needed its place.";
/** In milliseconds, for sessions that serve calls. */
const announcedEvery = 1_000;
const mostAnnounced = 10_000;

export const notStarted = (reason: string): string => `The processor could not be started: ${reason}`;

/** Done in the transaction that ends a session. What it returns is called after it. */
type Alongside = (trx: Db) => Promise<(() => Promise<void>) | undefined>;

interface Stop {
  /** Left out: a person stopped it, without a reason. */
  reason?: string | undefined;
  /** The account that stops it. Left out: Miranda itself. */
  by?: string;
  /** Looked at in the transaction. */
  mayStop?: (trx: Db) => Promise<boolean>;
  alongside?: Alongside | undefined;
}

export type Sessions = ReturnType<typeof createSessions>;

/** The life of sessions: from the queue to the engine to their end. */
export function createSessions(deps: Dependencies) {
  const { jobs, logs, engine, settings, publish } = deps;
  let pumping: Promise<void> | undefined;
  let pumpAgain = false;
  const launches = new Set<Promise<void>>();
  const announcedAt = new Map<string, number>();
  const engineAway = createEngineAway({
    ...{ jobs, engineAwaySeconds: settings.engineAwaySeconds, appendLine, announceById, begin },
    finishStopped: (id) => finish(id, "EXITED", { reason: stopped, from: ["KILLING"] }),
  });

  function announce(job: JobRow, event: "new[DOCKER_JOB]" | "update[DOCKER_JOB]" = "update[DOCKER_JOB]"): void {
    // One that serves calls changes with each of them: people need not see all of it.
    if (job.deployment_id !== null && job.state === "RUNNING" && announcedLately(job.id)) return;
    const summary: Parameters<ServerEvents["update[DOCKER_JOB]"]>[0] = toJobSummary(job);
    const room = roomOf(job);
    if (room) publish(room, event, summary);
    deps.publishToAccount(job.account_id, event, summary);
  }

  function announcedLately(id: string): boolean {
    const now = Date.now();
    if (now - (announcedAt.get(id) ?? 0) < announcedEvery) return true;
    if (announcedAt.size > mostAnnounced) announcedAt.clear();
    announcedAt.set(id, now);
    return false;
  }

  async function announceById(id: string): Promise<void> {
    const job = await jobs.find(id);
    if (job) announce(job);
  }

  /** Appends a line of ours to a session's log, numbered like the agent's. Returns a function that publishes it. */
  async function appendLine(trx: Db, job: JobRow, tag: number, text: string): Promise<() => void> {
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
    const room = roomOf(job);
    return () => room && publishOf(publish, job)(room, logsEvent(job.id), entries.map(toLogEntry));
  }

  /** Logs a line for a session without an agent yet, and marks the session as being worked on. */
  async function writeLine(job: JobRow, line: string): Promise<void> {
    const publishLine = await jobs.inTransaction(async (trx) => {
      await jobs.touch(job.id, trx);
      return appendLine(trx, job, logLevels.INFO, line);
    });
    publishLine();
  }

  /** Ends a session from the server, with the reason as the last line of its log. */
  async function finish(
    id: string,
    to: "ERROR" | "EXITED",
    { reason, from, alongside }: { reason: string; from?: WorkflowState[]; alongside?: Alongside | undefined },
  ): Promise<boolean> {
    const done = await jobs.inTransaction(async (trx) => {
      const job = await jobs.transition(id, to, from ? { from } : {}, trx);
      if (!job) return undefined;
      const publishAlongside = await alongside?.(trx);
      const room = roomOf(job);
      const nodes = await markStopped(trx, id, canvasOf(job));
      const publishLine = await appendLine(trx, job, to === "ERROR" ? logLevels.ERROR : logLevels.INFO, reason);
      const end = endOfStopped(to === "ERROR" ? reason : await jobs.stopReason(trx, id));
      const ended = await deps.runs.endOf(trx, id, end);
      const publishAll = (): void => {
        publishLine();
        deps.runs.publish(ended);
        if (room && nodes.length > 0) publishNodes(publish, { jobId: id, graphId: room }, nodes, null);
      };
      return { job, runId: ended?.id, publishAll, publishAlongside };
    });
    if (!done) return false;
    done.publishAll();
    await announceById(id);
    pump();
    deps.notifications.wake(`job:${id}`);
    deps.onFinished(done.job, done.runId);
    await published(done.publishAlongside);
    return true;
  }

  /** The engine has no room yet: the launched session waits as QUEUED, and the reason is logged once. */
  async function waitForMachine(id: string, reason: string): Promise<void> {
    const publishLine = await jobs.inTransaction(async (trx) => {
      await jobs.transition(id, "QUEUED", { from: ["STARTING"] }, trx);
      const job = await jobs.lockInState(trx, id, ["QUEUED"]);
      if (!job || job.engine_ref === null || job.waiting_reason === reason) return undefined;
      await jobs.update(id, { waiting_reason: reason }, trx);
      return appendLine(trx, job, logLevels.INFO, `Waiting for a machine: ${reason}`);
    });
    if (!publishLine) return;
    publishLine();
    await announceById(id);
  }

  async function endWaitForMachine(id: string): Promise<void> {
    const started = await jobs.transition(id, "STARTING", { from: ["QUEUED"], waiting_reason: null });
    if (started) await announceById(id);
  }

  async function published(publishAlongside: (() => Promise<void>) | undefined): Promise<void> {
    await publishAlongside?.().catch((error: unknown) => deps.report(error, "publishing the end of a session failed"));
  }

  /** Asks a session to end, if it may. A queued one just leaves the queue. */
  async function stop(id: string, { reason, by, mayStop, alongside }: Stop): Promise<boolean> {
    if (await finishQueued(id, { reason, alongside })) return true;
    const stopped = await jobs.inTransaction(async (trx) => {
      if (mayStop && !(await mayStop(trx))) return undefined;
      const job = await jobs.transition(
        id,
        "KILLING",
        { from: ["STARTING", "READY", "RUNNING", "RESUMEREADY", "RESTARTING"] },
        trx,
      );
      if (!job) return undefined;
      await jobs.addCommand(trx, id, { command: "stop", state: "EXITED", reason: reason ?? null }, by ?? null, true);
      return { publishAlongside: await alongside?.(trx) };
    });
    if (!stopped) return false;
    // Before the agent knows: it may have ended when this is read.
    await announceById(id);
    deps.notifications.wake(`job:${id}`);
    await published(stopped.publishAlongside);
    return true;
  }

  async function finishQueued(id: string, { reason, alongside }: Pick<Stop, "reason" | "alongside">): Promise<boolean> {
    const words = reason ?? "The session was stopped before it started.";
    return finish(id, "EXITED", { reason: words, from: ["QUEUED", "UNINITIALIZED"], alongside });
  }

  /** Starts queued sessions while there is room, in order. */
  function pump(): void {
    pumpAgain = true;
    pumping ??= (async () => {
      while (pumpAgain) {
        pumpAgain = false;
        for (;;) {
          const token = randomToken();
          const job = await jobs.takeNext(settings, hashToken(token), engine.machineId);
          if (!job) break;
          begin(job, token);
          if (launches.size >= launchesAtOnce) await Promise.race(launches);
        }
        await makeRoom();
      }
    })()
      .catch((error: unknown) => deps.report(error, "the queue failed"))
      .finally(() => {
        pumping = undefined;
        if (pumpAgain) pump();
      });
  }

  /** Ends sessions of apps that only wait for a call, when others wait for their places. */
  async function makeRoom(): Promise<void> {
    for (;;) {
      const id = await jobs.findInTheWay(settings);
      const isFree = async (trx: Db): Promise<boolean> =>
        (await jobs.lockInState(trx, id ?? "", ["READY"])) !== undefined;
      if (id === undefined || !(await stop(id, { reason: placeNeeded, mayStop: isFree }))) return;
    }
  }

  function begin(job: JobRow, token: string, again?: Retry): void {
    const launching: Promise<void> = launch(job, token, again)
      .catch((error: unknown) => deps.report(error, "a launch failed"))
      .finally(() => launches.delete(launching));
    launches.add(launching);
  }

  async function launch(job: JobRow, token: string, again: Retry | undefined): Promise<void> {
    const { cpu, ram_gb, gpu, image, max_minutes } = job.demand;
    let ref: EngineRef;
    // During the whole launch: other servers must not think that this one has died.
    const pulse = setInterval(
      safely(() => void jobs.touch(job.id).catch(() => undefined)),
      (settings.lostSeconds * 1_000) / 3,
    );
    try {
      const graphId = job.graph_id ?? "none";
      const listed = await jobs.find(job.id);
      // Announce the state from the queue: an engine that fails at once must not overtake it.
      if (listed) announce({ ...listed, ...job });
      ref = await engine.launch({
        jobId: job.id,
        token,
        isAgain: again !== undefined,
        projectId: listed?.project_id ?? graphId,
        graphId,
        cpus: cpu ?? 0,
        ramBytes: ram_gb ? ram_gb * 1e9 : (settings.ramBytes ?? Math.floor(engine.machineBytes / 2)),
        // Not the default memory: two sessions would fill a machine, whatever they use.
        reservedRamBytes: ram_gb ? ram_gb * 1e9 : (settings.ramBytes ?? 0),
        gpus: gpu ?? 0,
        image: image ?? "",
        maxSeconds: (max_minutes ?? 0) * 60,
        servesCalls: job.deployment_id !== null,
        log: (line) => writeLine(job, line),
      });
    } catch (error) {
      const message = messageOf(error);
      if (error instanceof EngineAway && !again?.isLast) await engineAway.postpone(job, message);
      else await finish(job.id, "ERROR", { reason: notStarted(message) });
      return;
    } finally {
      clearInterval(pulse);
    }
    await jobs.update(job.id, { engine_ref: JSON.stringify(ref), engine_away_since: null });
    const now = await jobs.find(job.id);
    // Stopped during its launch: nobody else knows what to end.
    if (!now || !isAlive(now.state) || now.state === "KILLING") await forceStop(job.id, ref);
  }

  /** Ends a session that was asked to end. It stays KILLING while its engine still has something of it. */
  async function forceStop(id: string, ref: EngineRef | null, isGivenUp = false): Promise<void> {
    await engine.stop(id, ref);
    const { state } = await engine.inspect(id, ref);
    if (state === "gone" || isGivenUp) await finish(id, "EXITED", { reason: stopped, from: ["KILLING"] });
  }

  async function idle(): Promise<void> {
    await pumping;
    await Promise.race([Promise.all(launches), sleep(closingPatience, undefined, { ref: false })]);
  }

  return {
    announce,
    finish,
    hold: waitForMachine,
    unhold: endWaitForMachine,
    retry: engineAway.retry,
    stop,
    finishQueued,
    forceStop,
    pump,
    idle,
  };
}
