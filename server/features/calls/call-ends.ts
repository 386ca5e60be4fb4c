import { toNumber } from "@miranda/contract/billing/credits.ts";
import { noPackages } from "@miranda/contract/call-inputs/call-words.ts";
import { moneyText } from "@miranda/contract/words/money-text.ts";

import { callDispatch as limits } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Notifications } from "../../platform/database/pg-notifications.ts";
import type { Balance, Charge } from "../billing/billing-service.ts";
import type { Sessions } from "../processors/jobs/job-lifecycle.ts";
import type { JobQueries, JobRow } from "../processors/jobs/jobs-queries.ts";
import type { ServedRun } from "../runs/run-records-service.ts";
import { callEnds as queries } from "./call-ends-queries.ts";

interface Dependencies {
  db: Db;
  jobs: Pick<JobQueries, "addCommand" | "inTransaction">;
  sessions: Pick<Sessions, "stop">;
  notifications: Pick<Notifications, "wake">;
  /** The currency sign. */
  currency: string;
}

const cancelled = "Cancelled.";
const words = {
  seconds: (most: number) => `It was stopped: a run of this app may take at most ${most} s.`,
  budget: (most: string) => `It was stopped: a run of this app may cost at most ${most}.`,
  day: (most: string) => `It was stopped: this app may cost at most ${most} a day.`,
  projectDay: (most: string) => `It was stopped: the project may cost at most ${most} a day.`,
  packages: "Ended: the packages of its release could not be installed, and another processor has them.",
  credits: "It was stopped: the account that pays for it is out of credits.",
  month: "It was stopped: the account that pays for it has used up its budget for this month.",
} as const;

export type CallEnds = ReturnType<typeof createCallEnds>;

/** Ends calls that run: first by an interrupt, and with the session when that does not help. */
export function createCallEnds({ db, jobs, sessions, notifications, currency }: Dependencies) {
  const money = (amount: number) => moneyText(amount, currency, "all");

  /** In a transaction that holds the lock of the session. False when it is being ended already. */
  async function order(trx: Db, runId: string, jobId: string, command: number, reason: string): Promise<boolean> {
    if (!(await queries.markEnding(trx, runId, reason))) return false;
    await jobs.addCommand(trx, jobId, { command: "interrupt", of: command }, null);
    return true;
  }

  async function end(runId: string, reason: string): Promise<void> {
    const jobId = await jobs.inTransaction(async (trx) => {
      const run = await queries.lockSessionOf(trx, runId);
      return run && (await order(trx, runId, run.job_id, run.command, reason)) ? run.job_id : undefined;
    });
    if (jobId) notifications.wake(`job:${jobId}`);
  }

  return {
    cancel: (runId: string): Promise<void> => end(runId, cancelled),

    /** After a charge: whether the call has cost what it may, or who pays has nothing left. */
    async checkLimits(trx: Db, job: JobRow, run: ServedRun, charge: Charge & Balance): Promise<boolean> {
      const cost = run.cost + toNumber(charge.ofRuns.get(run.number)?.cost ?? 0n);
      const isBroke = run.payer_id !== null && charge.broke.includes(run.payer_id);
      const isFull = charge.full.some(({ accountId }) => accountId !== null && accountId === run.payer_id);
      const day = await queries.daysOf(trx, job.deployment_id ?? job.id);
      const reached =
        run.budget !== null && cost >= run.budget
          ? words.budget(money(run.budget))
          : day?.own !== undefined && day.own !== null && day.own_spent >= day.own
            ? words.day(money(day.own))
            : day?.project !== undefined && day.project !== null && day.project_spent >= day.project
              ? words.projectDay(money(day.project))
              : isBroke
                ? words.credits
                : isFull
                  ? words.month
                  : undefined;
      return reached !== undefined && (await order(trx, run.id, job.id, run.command, reached));
    },

    /**
     * After a call that failed: ends a session without its packages when another one serves the same release. Free sessions
     * are taken again, and the next callers would get the same failure.
     */
    async endWithoutPackages(jobId: string): Promise<void> {
      await sessions.stop(jobId, {
        reason: words.packages,
        mayStop: (trx) => queries.isReplaceable(trx, jobId, noPackages),
      });
    },

    /** Once a second: calls that take too long, and those that an interrupt did not end. */
    async sweep(): Promise<void> {
      for (const { id, most } of await queries.listLate(db)) await end(id, words.seconds(most));
      for (const { id, job_id, ending } of await queries.listStubborn(db, limits.endWithin / 1_000)) {
        await sessions.stop(job_id, { reason: ending, mayStop: (trx) => queries.lockUnended(trx, id) });
      }
    },
  };
}
