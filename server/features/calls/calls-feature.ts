import { isAlive } from "@miranda/contract/processor.ts";
import type { ProgressBar } from "@miranda/contract/protocol/worker.ts";

import { callDispatch as limits } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Notifications } from "../../platform/database/pg-notifications.ts";
import type { ProcessorSettings } from "../../platform/settings/processor-settings.ts";
import type { Serving } from "../processors/agent/serving.ts";
import type { CommandDesk } from "../processors/agent/command-desk.ts";
import type { Sessions } from "../processors/jobs/job-lifecycle.ts";
import type { JobQueries, JobRow } from "../processors/jobs/jobs-queries.ts";
import type { Publish } from "../processors/agent/publish.ts";
import type { RunRecords } from "../runs/run-records-service.ts";
import type { VersionForRun } from "../versions/versions-service.ts";
import { createCallEnds } from "./call-ends.ts";
import { callEndKey, type CallRow, callKey, createCalls } from "./calls-service.ts";
import { createDispatcher } from "./dispatch/dispatcher.ts";
import { createReleases } from "./dispatch/releases.ts";
import { safely } from "../../platform/errors/safely.ts";

interface Dependencies {
  db: Db;
  jobs: JobQueries;
  sessions: Sessions;
  runs: Pick<RunRecords, "publishCall" | "close">;
  engine: { name: string; machineBytes: number };
  settings: ProcessorSettings;
  notifications: Notifications;
  desk: Pick<CommandDesk, "deliver">;
  publish: Publish;
  versionForRun: VersionForRun;
  /** The currency sign. */
  currency: string;
  report: (error: unknown, what: string) => void;
}

export type CallsFeature = ReturnType<typeof createCallsFeature>;

/** Wires calls with the sessions that serve them. */
export function createCallsFeature(deps: Dependencies) {
  const { db, notifications, publish, report, runs } = deps;
  const releases = createReleases(deps);
  const ends = createCallEnds(deps);
  const listeners: ((call: CallRow) => void)[] = [];
  const barsOfJobs = new Map<string, Map<number, ProgressBar>>();

  const unannounced = new Set<string>();
  let announcing: NodeJS.Timeout | undefined;

  /** Wakes those who wait for the call, on every server, and soon tells the people in the deployment's room. */
  function changed(callId: string, hasEnded: boolean): void {
    notifications.wake(callKey(callId));
    if (hasEnded) notifications.wake(callEndKey(callId));
    unannounced.add(callId);
    announcing ??= setTimeout(
      safely(() => void announceAll()),
      limits.announceEvery,
    );
  }

  /** Together: hundreds of calls may begin and end in a second. */
  async function announceAll(): Promise<void> {
    clearTimeout(announcing);
    announcing = undefined;
    const ids = [...unannounced];
    unannounced.clear();
    try {
      for (const call of ids.length > 0 ? await calls.findAll(ids) : []) announce(call);
    } catch (error) {
      report(error, "publishing calls failed");
    }
  }

  function announce(call: CallRow): void {
    const { id: call_id, deployment_id, state, revision } = call;
    publish(deployment_id, "update[CALL]", { call_id, deployment_id, state, revision });
    for (const listener of listeners) listener(call);
  }

  const dispatcher = createDispatcher({ ...deps, releases, onChange: changed });
  const calls = createCalls({
    db,
    notifications,
    announce,
    onQueued: dispatcher.queued,
    interrupt: ({ id }) => ends.cancel(id),
  });

  /** Bars are not stored. Other servers do not know them, and callers there see none. */
  function keepBars({ id, state }: JobRow, hasEnded: boolean, bars: ReadonlyMap<number, readonly ProgressBar[]>): void {
    if (hasEnded || !isAlive(state)) barsOfJobs.delete(id);
    else if (bars.size > 0) {
      const known = barsOfJobs.get(id) ?? new Map<number, ProgressBar>();
      barsOfJobs.set(id, known);
      for (const [node, [bar]] of bars)
        if (bar) known.set(node, bar);
        else known.delete(node);
    }
  }

  const serving: Serving = {
    releaseOf: async ({ release_id }) => (release_id === null ? undefined : releases.find(release_id)),
    whenRead: (work) =>
      releases.whenRead((find) => work(({ release_id }) => (release_id === null ? undefined : find(release_id)))),
    checkLimits: ends.checkLimits,
    reported(before, job, { run, bars, isEnding }) {
      keepBars(job, run?.hasEnded === true, bars);
      if (run?.isNews) {
        changed(run.id, run.hasEnded);
        runs.publishCall(run);
      }
      const isFree = job.state === "READY" && before.state !== "READY";
      if (isFree && job.last_run_state === "failed")
        void ends
          .endWithoutPackages(job.id)
          .catch((error: unknown) => report(error, "ending a session without its packages failed"))
          .finally(() => dispatcher.changed(job));
      else if (isFree || (isAlive(before.state) && !isAlive(job.state))) dispatcher.changed(job);
      if (isEnding) notifications.wake(`job:${job.id}`);
    },
  };

  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> | undefined;

  async function sweep(): Promise<void> {
    await ends.sweep();
    await dispatcher.sweep();
  }

  return {
    calls,
    serving,
    releases,

    /** The server has ended a session. */
    sessionEnded(job: JobRow, runId: string | undefined): void {
      if (runId !== undefined) changed(runId, true);
      dispatcher.changed(job);
    },

    /** The bars of nodes that run now in a session that serves calls. */
    barsOf: (jobId: string): ReadonlyMap<number, ProgressBar> =>
      barsOfJobs.get(jobId) ?? new Map<number, ProgressBar>(),

    /** The deployment was changed: sessions may have to start or end. */
    deploymentChanged: dispatcher.lookSoon,

    /** Calls the listener after each change of a call that this server makes. A server that is killed then does not. */
    onChange(listener: (call: CallRow) => void): void {
      listeners.push(listener);
    },

    start(): void {
      timer = setInterval(
        safely(() => {
          sweeping ??= sweep()
            .catch((error: unknown) => report(error, "looking after calls failed"))
            .finally(() => (sweeping = undefined));
        }),
        limits.sweepEvery,
      );
    },

    async close(): Promise<void> {
      clearInterval(timer);
      runs.close();
      await dispatcher.close();
      await sweeping;
      await announceAll();
    },
  };
}
