import { isAlive } from "@miranda/contract/processor.ts";
import { availableParallelism } from "node:os";

import { callDispatch as limits } from "../../../limits.ts";
import { newId } from "../../../platform/crypto.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { Notifications } from "../../../platform/database/pg-notifications.ts";
import type { ProcessorSettings } from "../../../platform/settings/processor-settings.ts";
import type { CommandDesk } from "../../processors/agent/command-desk.ts";
import type { Sessions } from "../../processors/jobs/job-lifecycle.ts";
import type { JobQueries, JobRow } from "../../processors/jobs/jobs-queries.ts";
import { decideSessions } from "./decide-sessions.ts";
import { dispatchQueries as queries, type Fleet } from "./dispatch-queries.ts";
import { orderOf, type Releases, type ServedRelease } from "./releases.ts";
import { safely } from "../../../platform/errors/safely.ts";

interface Dependencies {
  db: Db;
  jobs: Pick<JobQueries, "insert" | "transition" | "addCommand" | "update" | "inTransaction">;
  sessions: Pick<Sessions, "announce" | "stop" | "pump">;
  releases: Releases;
  engine: { name: string; machineBytes: number };
  settings: Pick<ProcessorSettings, "startCredits" | "ramBytes">;
  notifications: Pick<Notifications, "wake">;
  desk: Pick<CommandDesk, "deliver">;
  /** A call was given to a session, or ended without one. */
  onChange: (callId: string, hasEnded: boolean) => void;
  report: (error: unknown, what: string) => void;
}

const unpaid = "The account that pays for it has used up its budget for this month.";
const deleted = "The session was stopped: its deployment was deleted.";
const largestTag = 2 ** 31;

export type Dispatcher = ReturnType<typeof createDispatcher>;

/**
 * Gives waiting calls to sessions, and starts and ends sessions. The database has the queue: any server may do this at any
 * time, and one that was killed leaves nothing behind that another does not find.
 */
export function createDispatcher(deps: Dependencies) {
  const { db, jobs, sessions, releases, notifications, desk, settings } = deps;
  const looks = new Map<string, { at: number; timer: NodeJS.Timeout | undefined; isAgain: boolean; isBusy: boolean }>();
  const takers = new Map<string, { isAgain: boolean; taking: Promise<boolean> }>();
  /** What looks at the moment. */
  const looking = new Set<Promise<void>>();
  let isClosed = false;
  const failed = (error: unknown): void => deps.report(error, "giving calls to sessions failed");

  /** Gives one waiting call to a free session. "none": there is no such pair. "last": no other call waits. */
  async function take(deploymentId: string): Promise<"none" | "last" | "one"> {
    for (let tries = 0; tries < limits.triesMax; tries += 1) {
      const pair = await queries.pick(db, deploymentId);
      const release = pair && (await releases.find(pair.release_id));
      if (!pair || !release) return "none";
      const call = orderOf(release, pair.inputs);
      const command = { command: "run", mode: "call", call };
      const job = await queries.order(db, pair, release.versionId, JSON.stringify(command));
      if (job) {
        desk.deliver(job.id, { ...command, run: job.runs, number: job.last_command });
        deps.onChange(pair.call_id, false);
        sessions.announce(job);
        return pair.has_others ? "one" : "last";
      }
    }
    return "none";
  }

  /** Gives waiting calls to free sessions, as long as there are both. One after the other: they would take the same ones. */
  async function takeAll(deploymentId: string): Promise<boolean> {
    const known = takers.get(deploymentId);
    if (known) {
      known.isAgain = true;
      return known.taking;
    }
    const taker = { isAgain: false, taking: Promise.resolve(false) };
    const work = async (): Promise<boolean> => {
      let hasTaken = false;
      try {
        do {
          taker.isAgain = false;
          let taken;
          do {
            taken = await take(deploymentId);
            hasTaken ||= taken !== "none";
          } while (taken === "one");
        } while (taker.isAgain);
        return hasTaken;
      } finally {
        // At once: whoever comes after the last look has to look again.
        takers.delete(deploymentId);
      }
    };
    takers.set(deploymentId, taker);
    taker.taking = work();
    return taker.taking;
  }

  /** Lets a session load its release and run what no call changes, so that the first call is as fast as the others. */
  async function warmUp(jobId: string): Promise<void> {
    const job = await releases.whenRead((find) =>
      jobs.inTransaction(async (trx) => {
        const moved = await jobs.transition(jobId, "RUNNING", { from: ["READY"] }, trx);
        const release = moved?.release_id && find(moved.release_id);
        if (!moved || !release) throw new Nothing();
        const run = moved.runs + 1;
        const call = { ...orderOf(release, {}), values: {}, outputs: [] };
        await jobs.update(jobId, { runs: run }, trx);
        await jobs.addCommand(trx, jobId, { command: "run", mode: "warm", run, call }, null, true);
        return moved;
      }),
    );
    sessions.announce(job);
    notifications.wake(`job:${jobId}`);
  }

  async function start(
    trx: Db,
    { deployment }: Fleet,
    release: ServedRelease | undefined,
  ): Promise<JobRow | undefined> {
    if (!release || deployment.owner_id === null) return undefined;
    const demand = { ...release.demand, ...deployment.compute };
    const ownBytes = settings.ramBytes === undefined ? deps.engine.machineBytes / 2 : settings.ramBytes;
    return jobs.insert(trx, {
      id: newId(),
      tag: Math.floor(Math.random() * largestTag),
      graph_id: deployment.graph_id,
      account_id: deployment.owner_id,
      name: deployment.title,
      description: "",
      engine: deps.engine.name,
      demand: JSON.stringify(demand),
      cpu_capacity: demand.cpu ?? availableParallelism(),
      ram_gb_capacity: demand.ram_gb ?? (ownBytes || deps.engine.machineBytes) / 1e9,
      deployment_id: deployment.id,
      release_id: release.id,
      purse_id: deployment.purse_id,
    });
  }

  /** Starts, ends and warms up what a deployment needs or needs no more. */
  async function look(deploymentId: string): Promise<void> {
    // First: no session is started for calls that nobody pays for.
    for (const callId of await queries.endUnpaid(db, deploymentId, unpaid)) deps.onChange(callId, true);
    const done = await releases.whenRead((find) =>
      db.transaction().execute(async (trx) => {
        const fleet = await queries.fleet(trx, deploymentId, settings.startCredits);
        if (!fleet) return undefined;
        const decision = decideSessions(fleet);
        const started: JobRow[] = [];
        for (const releaseId of decision.start) {
          const job = await start(trx, fleet, find(releaseId));
          if (job) started.push(job);
        }
        const lost: string[] = [];
        for (const { releaseId, reason } of decision.give_up)
          lost.push(...(await queries.endQueued(trx, deploymentId, releaseId, reason)));
        return { decision, started, lost };
      }),
    );
    if (!done) return;
    for (const job of done.started) sessions.announce(job, "new[DOCKER_JOB]");
    if (done.started.length > 0) sessions.pump();
    for (const callId of done.lost) deps.onChange(callId, true);
    for (const { id, reason } of done.decision.stop)
      await sessions.stop(id, { reason, mayStop: (trx) => isStillFree(trx, id) });
    for (const id of done.decision.warm_up)
      await warmUp(id).catch((error: unknown) => (error instanceof Nothing ? undefined : failed(error)));
  }

  async function isStillFree(trx: Db, id: string): Promise<boolean> {
    const found = await trx.selectFrom("jobs").select("state").where("id", "=", id).forUpdate().executeTakeFirst();
    return found !== undefined && found.state !== "RUNNING" && found.state !== "RESUMEREADY";
  }

  /** Looks now, or soon when that was a moment ago: while calls wait, each new one asks for it. */
  function lookSoon(deploymentId: string): void {
    if (isClosed) return;
    const known = looks.get(deploymentId) ?? { at: 0, timer: undefined, isAgain: false, isBusy: false };
    looks.set(deploymentId, known);
    if (known.isBusy || known.timer) {
      known.isAgain = known.isBusy;
      return;
    }
    const wait = known.at + limits.lookEvery - Date.now();
    const now = (): void => {
      known.timer = undefined;
      known.isBusy = true;
      known.isAgain = false;
      const done = look(deploymentId)
        .catch(failed)
        .finally(() => {
          looking.delete(done);
          known.isBusy = false;
          known.at = Date.now();
          if (known.isAgain) lookSoon(deploymentId);
          else if (!known.timer) looks.delete(deploymentId);
        });
      looking.add(done);
    };
    if (wait <= 0) now();
    else known.timer = setTimeout(safely(now), wait).unref();
  }

  async function dispatch(deploymentId: string): Promise<void> {
    if (!(await takeAll(deploymentId))) lookSoon(deploymentId);
  }

  /** Once a second: whatever a server that was killed did not do, and what takes time. What fails for one leaves the others. */
  async function sweep(): Promise<void> {
    for (const id of await queries.listAbandoned(db)) await sessions.stop(id, { reason: deleted }).catch(failed);
    for (const id of await queries.listRestless(db)) {
      await takeAll(id).catch(failed);
      await look(id).catch(failed);
    }
  }

  return {
    /** A call waits. */
    queued(deploymentId: string): void {
      void dispatch(deploymentId).catch(failed);
    },

    /** A session is free, or has ended. */
    changed(job: JobRow): void {
      const { deployment_id: id } = job;
      if (id === null) return;
      if (job.state === "READY" && job.runs > 0) void takeAll(id).catch(failed);
      else if (job.state === "READY" || !isAlive(job.state)) void dispatch(id).catch(failed);
    },

    sweep,
    lookSoon,

    /** Looks no more: the server stops. */
    async close(): Promise<void> {
      isClosed = true;
      for (const { timer } of looks.values()) clearTimeout(timer);
      await Promise.all(looking);
    },
  };
}

/** The session is no longer free, or its release is deleted. */
class Nothing extends Error {}
