import type { RunArgs } from "@miranda/contract/command-args.ts";
import type { AgentCommand } from "@miranda/contract/protocol/agent.ts";
import type { WorkflowState } from "@miranda/contract/processor.ts";

import { actorOf, recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { Trial } from "../../../tables/run-tables.ts";
import type { Notifications } from "../../../platform/database/pg-notifications.ts";
import type { RunCode } from "../../code/run-code-service.ts";
import type { Recorded, RunRecords } from "../../runs/run-records-service.ts";
import type { Payer } from "../budgets/budgets-queries.ts";
import type { RunBudgets } from "../budgets/run-budgets.ts";
import type { Sessions } from "../jobs/job-lifecycle.ts";
import type { JobQueries, JobRow } from "../jobs/jobs-queries.ts";
import type { Order } from "./commands.ts";
import { withinRun } from "./run-secrets.ts";

interface Dependencies {
  jobs: JobQueries;
  runCode: Pick<RunCode, "take" | "refuseUnfitFields">;
  runs: Pick<RunRecords, "begin" | "findRepeated" | "publish">;
  sessions: Pick<Sessions, "announce">;
  notifications: Pick<Notifications, "wake">;
  budgets: Pick<RunBudgets, "admit" | "refuseAsked">;
  newerCode: NewerCode;
}

/** The code of a version of a node's template, if the caller may take it. */
export type NewerCode = (caller: Caller, graphId: string, node: number, version: number) => Promise<Trial>;

/** The commands that continue a paused run. */
const goesOn = new Set<string>(["continue", "step-over", "step-in", "step-out"]);

/** What happens in the transaction of a command. The function that it returns publishes it afterwards. */
type Alongside = (trx: Db) => Promise<() => void>;

/** What a run is made of, besides its command. */
interface Begun {
  graphId: string;
  budget: number | null;
  repeats: { id: string; version_id: string } | null;
  trial: Trial | null;
}

interface Ordered {
  command: AgentCommand;
  number: number;
  /** How long it has waited for its session, in seconds. */
  waited: number;
}

/** Gives sessions commands for their workers. */
export function createOrders({ jobs, runCode, runs, sessions, notifications, budgets, newerCode }: Dependencies) {
  /** Commits the run's unsaved code in the same transaction as the command: both or neither. */
  async function orderRun(caller: Caller, job: JobRow, graphId: string, order: Order, wish: RunArgs): Promise<number> {
    const { command } = order;
    refuseBusy(job, order);
    const budget = command.command === "run" ? await budgets.admit(graphId, wish.budget, payerOf(job)) : null;
    if (command.command === "run" && wish.repeats !== undefined) {
      const { mode, target, packages, ...repeats } = await getRepeated(graphId, wish.repeats);
      const repeated = { ...command, mode: modeOfRepetition(mode), target: target ?? undefined, packages };
      return orderWorker(caller, job, { ...order, command: repeated }, undefined, {
        graphId,
        budget,
        repeats,
        trial: null,
      });
    }
    const trial = await findTrial(caller, graphId, wish);
    // A trial changes nothing, so it does not commit unsaved code.
    if (trial && command.command === "run") {
      await runCode.refuseUnfitFields(graphId, wish);
      return orderWorker(caller, job, order, undefined, { graphId, budget, repeats: null, trial });
    }
    const code = await runCode.take(caller, graphId, wish);
    if (command.command === "plan")
      return orderWorker(caller, job, { ...order, command: { ...command, edited: code.hashes() } });
    return orderWorker(caller, job, order, code.commit, { graphId, budget, repeats: null, trial: null });
  }

  /** Setup methods read fields too. */
  async function orderSetup(caller: Caller, job: JobRow, graphId: string, order: Order): Promise<void> {
    refuseBusy(job, order);
    await runCode.refuseUnfitFields(graphId, { mode: "all" });
    await orderWorker(caller, job, order);
  }

  async function findTrial(caller: Caller, graphId: string, { trial, node }: RunArgs): Promise<Trial | undefined> {
    return trial === undefined || node === undefined ? undefined : newerCode(caller, graphId, node, trial);
  }

  async function getRepeated(graphId: string, runId: string) {
    const run = await runs.findRepeated(graphId, runId);
    if (!run) throw new AppError("run_not_found");
    const { id, version_id, mode, target, packages } = run;
    if (version_id === null) throw new AppError("run_graph_unknown");
    return { id, version_id, mode, target, packages };
  }

  async function orderWorker(
    caller: Caller,
    job: JobRow,
    order: Order,
    alongside?: Alongside,
    begun?: Begun,
  ): Promise<number> {
    const { from, to } = order;
    refuseBusy(job, order);
    const ordered = await jobs.inTransaction(async (trx) => {
      const moved = to ? await jobs.transition(job.id, to, { from }, trx) : await jobs.lockInState(trx, job.id, from);
      if (!moved) throw refusalOf(from, order.command.command);
      if (goesOn.has(order.command.command)) await budgets.refuseAsked(trx, job.id);
      const allowed = await withinRun(trx, job.id, caller.accountId, order.command);
      const command = allowed.command === "run" ? { ...allowed, run: moved.runs + 1 } : allowed;
      const number = await jobs.addCommand(trx, job.id, command, caller.accountId, to !== undefined);
      const publishCode = await alongside?.(trx);
      const run = begun && (await beginRun(trx, caller, moved, { command, number, waited: waitedFor(job), ...begun }));
      return { moved: { ...moved, ...run?.session }, number, publishCode, run: run?.recorded };
    });
    ordered.publishCode?.();
    runs.publish(ordered.run);
    if (to) announceAndWake({ ...job, ...ordered.moved });
    else notifications.wake(`job:${job.id}`);
    return ordered.number;
  }

  async function beginRun(
    trx: Db,
    caller: Caller,
    job: JobRow,
    { command, number, waited, graphId, budget, repeats, trial }: Begun & Ordered,
  ): Promise<{ recorded: Recorded; session: Partial<JobRow> } | undefined> {
    if (command.command !== "run") return undefined;
    const recorded = await runs.begin(trx, {
      graph_id: graphId,
      account_id: caller.accountId,
      job_id: job.id,
      session_tag: job.tag,
      session_name: job.name,
      number: job.runs + 1,
      command: number,
      mode: command.mode,
      target: command.target ?? null,
      repeats: repeats?.id ?? null,
      version_id: repeats?.version_id ?? null,
      trial,
      budget,
      first_sample: job.last_sample,
      first_line: job.last_line + 1,
      waited,
    });
    const session = { runs: job.runs + 1, last_run_id: recorded.id, last_run_state: recorded.state };
    // Sent together, so that the record costs a run no way to the database of its own.
    await Promise.all([
      jobs.update(job.id, session, trx),
      recordAuditEvent(trx, {
        ...{ kind: "run.start", ...actorOf(caller), projectId: job.project_id },
        subject: { kind: "run", id: recorded.id, name: job.name },
        details: { mode: command.mode },
      }),
    ]);
    return { recorded, session };
  }

  /** In this order: otherwise the agent could finish the command before its new state is published. */
  function announceAndWake(job: JobRow): void {
    sessions.announce(job);
    notifications.wake(`job:${job.id}`);
  }

  /** Refuses what a run would refuse because of what it runs. */
  async function checkRun(caller: Caller, graphId: string, wish: RunArgs): Promise<void> {
    await budgets.admit(graphId, wish.budget, { accountId: caller.accountId, isDecided: false });
    if (wish.repeats !== undefined) await getRepeated(graphId, wish.repeats);
    else if (wish.trial !== undefined) await findTrial(caller, graphId, wish);
    else await runCode.take(caller, graphId, wish);
  }

  return { orderRun, orderSetup, orderWorker, checkRun, announceAndWake };
}

/** How long the first run has waited for the session that was started for it. Later than that, nobody waited. */
function waitedFor({ for_run, runs, state, created_at, state_at }: JobRow): number {
  const isFirst = for_run && runs === 0 && state === "READY";
  return isFirst ? Math.max(0, (state_at.getTime() - created_at.getTime()) / 1_000) : 0;
}

function payerOf({ purse_id, account_id }: JobRow): Payer {
  return { accountId: purse_id === null ? account_id : null, isDecided: true };
}

/** In a session where nothing has changed since, nothing would run. Nor does the editor serve calls. */
function modeOfRepetition(mode: string): string {
  return mode === "changed" || mode === "call" ? "all" : mode;
}

function refuseBusy(job: JobRow, { command, from }: Order): void {
  if (!from.includes(job.state)) throw refusalOf(from, command.command);
}

function refusalOf(from: readonly WorkflowState[], command: string): AppError {
  const isForPaused = from.length === 1 && from[0] === "RESUMEREADY";
  if (command === "interrupt") return new AppError("nothing_to_interrupt");
  if (command === "force-stop") return new AppError("nothing_to_force_stop");
  return new AppError(isForPaused ? "not_paused" : "processor_busy");
}
