import { reachedWords, spentOf } from "@miranda/contract/words/budget-words.ts";
import type { ProjectBudgets, PutProjectBudgetsBody } from "@miranda/contract/schemas/news/budgets.ts";

import { budgetWatch as limits } from "../../../limits.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { Notifications } from "../../../platform/database/pg-notifications.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { BudgetQuestion } from "../../../tables/run-tables.ts";
import type { MonthBudgets } from "../../billing/budgets/month-budgets-service.ts";
import type { Graphs } from "../../graphs/graphs-service.ts";
import type { Projects } from "../../projects/projects-service.ts";
import type { RunRecords } from "../../runs/run-records-service.ts";
import type { Sessions } from "../jobs/job-lifecycle.ts";
import type { JobQueries, JobRow } from "../jobs/jobs-queries.ts";
import { type AskedRun, budgetQueries as queries, type Payer } from "./budgets-queries.ts";

interface Dependencies {
  db: Db;
  jobs: Pick<JobQueries, "addCommand" | "inTransaction" | "lockInState">;
  sessions: Pick<Sessions, "stop">;
  runs: Pick<RunRecords, "publish">;
  graphs: Pick<Graphs, "getGraph">;
  monthBudgets: Pick<MonthBudgets, "admit">;
  projects: Pick<Projects, "getProject">;
  notifications: Pick<Notifications, "wake">;
  /** People have to be told that a run waits for them. */
  onAsked: () => void;
  /** How long a run waits for an answer. */
  budgetSeconds: number;
  /** The currency sign. */
  currency: string;
}

export type RunBudgets = ReturnType<typeof createRunBudgets>;

const between = (first: number | null, second: number | null): number | null =>
  first === null || second === null ? (first ?? second) : Math.min(first, second);

/** What runs may cost. A run that reaches its limit pauses, and its people are asked. */
export function createRunBudgets(deps: Dependencies) {
  const { db, jobs, sessions, runs, graphs, projects, notifications, budgetSeconds, currency } = deps;

  /** After the transaction: the session gets its command, and people see what has changed. */
  function notify(runId: string, jobId: string): void {
    notifications.wake(`job:${jobId}`);
    runs.publish({ id: runId, state: "running", isNews: true, hasEnded: false });
  }

  /** Interrupts a run that did not pause: it may be in code that no pause reaches. */
  async function interrupt({ id, job_id: jobId }: AskedRun): Promise<void> {
    const isDone = await jobs.inTransaction(async (trx) => {
      if (!(await jobs.lockInState(trx, jobId, ["RUNNING"])) || !(await queries.markInterrupted(trx, id))) return false;
      await jobs.addCommand(trx, jobId, { command: "interrupt" }, null);
      return true;
    });
    if (isDone) notify(id, jobId);
  }

  async function lookAt(run: AskedRun): Promise<void> {
    const waited = run.waited * 1_000;
    const isStubborn = run.question.paused && run.state === "RUNNING";
    const mayStop = (trx: Db) => queries.isStillAsked(trx, run.id);
    if (run.waited >= budgetSeconds)
      await sessions.stop(run.job_id, { reason: unanswered(run.question, currency), mayStop });
    else if (isStubborn && waited >= limits.pauseWithin + limits.interruptWithin)
      await sessions.stop(run.job_id, { reason: unstoppable(run.question, currency), mayStop });
    else if (isStubborn && !run.question.interrupted && waited >= limits.pauseWithin) await interrupt(run);
  }

  return {
    async ofProject(caller: Caller, projectId: string): Promise<ProjectBudgets> {
      await projects.getProject(caller, projectId, "read");
      return queries.ofProject(db, projectId);
    },

    async save(caller: Caller, projectId: string, budgets: PutProjectBudgetsBody): Promise<ProjectBudgets> {
      await projects.getProject(caller, projectId, "own");
      await queries.save(db, projectId, budgets);
      return queries.ofProject(db, projectId);
    },

    /**
     * What a new run may cost. Refuses it when its project has reached the limit of the day, or a budget for the month is used
     * up.
     */
    async admit(graphId: string, wish: number | undefined, payer: Payer): Promise<number | null> {
      const found = await queries.forRun(db, graphId, payer);
      if (!found) return wish ?? null;
      const { project_id: projectId, payer_id: accountId } = found;
      if (found.is_month_spent) await deps.monthBudgets.admit(db, { accountId, projectId });
      const { run_budget, day_budget, spent_today, owner } = found;
      if (day_budget !== null && spent_today !== null && spent_today >= day_budget)
        throw new AppError(
          "day_budget_reached",
          `This project has cost ${spentOf(spent_today, day_budget, currency)} today. ` +
            `${owner || "The owner of the project"} can change this limit.`,
        );
      return between(wish ?? null, run_budget);
    },

    /** Asks people when a run has reached a limit, in the transaction that charges it. True when they are asked now. */
    async check(trx: Db, runId: string, job: Pick<JobRow, "id" | "state">): Promise<boolean> {
      if (job.state !== "RUNNING" && job.state !== "RESUMEREADY") return false;
      const found = await queries.findLimited(trx, runId);
      const reached = found && reachedLimit(found);
      if (!reached) return false;
      const paused = job.state === "RUNNING";
      await queries.ask(trx, runId, { ...reached, paused, interrupted: false, seconds: budgetSeconds });
      if (paused) await jobs.addCommand(trx, job.id, { command: "pause" }, null);
      return true;
    },

    /**
     * Lets a run go on that pauses only now, after somebody has answered. True when it was told to. At a breakpoint it
     * stays, and the pause is over: the next one is somebody's own.
     */
    async resumeLate(trx: Db, runId: string, jobId: string, reason: string): Promise<boolean> {
      if (!(await queries.takeResume(trx, runId)) || reason !== "pause") return false;
      await jobs.addCommand(trx, jobId, { command: "continue", lines: undefined }, null);
      return true;
    },

    /** After the transaction of `check` or `resumeLate`. */
    asked(runId: string, jobId: string): void {
      notify(runId, jobId);
      deps.onAsked();
    },

    /** Nobody continues a run in the debugger while people are asked. */
    async refuseAsked(trx: Db, jobId: string): Promise<void> {
      if (await queries.isAsked(trx, jobId)) throw new AppError("budget_waits");
    },

    /** Lets a run cost more, and go on. Of two people who answer at once, one is told that the other has. */
    async raise(caller: Caller, runId: string, by: number): Promise<void> {
      const run = await queries.findRun(db, runId);
      if (!run) throw new AppError("run_not_found");
      const { access } = await graphs.getGraph(caller, run.graph_id, "write").catch((error: unknown) => {
        throw error instanceof AppError && error.code === "graph_not_found" ? new AppError("run_not_found") : error;
      });
      const { question } = run;
      if (!question) throw new AppError("budget_not_asked");
      if (question.limit === "day" && access !== "owner") throw new AppError("day_budget_owner");
      await jobs.inTransaction(async (trx) => {
        const job = await jobs.lockInState(trx, run.job_id, ["RUNNING", "RESUMEREADY"]);
        const hasPaused = job?.state === "RESUMEREADY";
        const wasToldTo = question.paused;
        const answer = { limit: question.limit, by, resumes: wasToldTo && !hasPaused };
        if (!job || !(await queries.raise(trx, runId, answer))) throw new AppError("budget_not_asked");
        // At a breakpoint it stays: somebody is looking at it.
        if (wasToldTo && hasPaused && job.paused?.reason === "pause")
          await jobs.addCommand(trx, job.id, { command: "continue", lines: undefined }, caller.accountId);
      });
      notify(runId, run.job_id);
    },

    /** Once a second: stops what nobody answered for, and what does not pause. */
    async watch(report: (error: unknown) => void): Promise<void> {
      for (const run of await queries.listAsked(db)) await lookAt(run).catch(report);
    },
  };
}

type Limited = NonNullable<Awaited<ReturnType<typeof queries.findLimited>>>;

function reachedLimit(run: Limited): Pick<BudgetQuestion, "limit" | "spent" | "of"> | undefined {
  const { cost, budget, budget_allowed: allowed, day_budget: ofDay, spent_today: today } = run;
  // The day first: an editor, who may raise the limit of the run, could otherwise go past it by raising that often.
  if (ofDay !== null && today !== null && today >= ofDay && cost >= (allowed ?? 0))
    return { limit: "day", spent: today, of: ofDay };
  return budget !== null && cost >= budget ? { limit: "run", spent: cost, of: budget } : undefined;
}

function unanswered(question: BudgetQuestion, currency: string): string {
  const minutes = Number((question.seconds / 60).toFixed(2));
  const time = `${minutes} ${minutes === 1 ? "minute" : "minutes"}`;
  return `The session was stopped: ${lowerFirst(reachedWords(question, currency))} Nobody answered for ${time}.`;
}

function unstoppable(question: BudgetQuestion, currency: string): string {
  return `The session was stopped: ${lowerFirst(reachedWords(question, currency))} It could not be paused.`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
