import { commands, isAlive, type Command } from "@miranda/contract/processor.ts";
import type { Account } from "@miranda/contract/schemas/auth.ts";
import type {
  CreateProcessorBody,
  ActedEvent,
  BreakEvent,
  JobSummary,
  LogEntry,
  LogsQuery,
  NodeOutput,
  NodeRun,
  OutputsQuery,
  QueuePosition,
  RunPackages,
} from "@miranda/contract/schemas/processors.ts";
import type { OpenQuestions } from "@miranda/contract/schemas/realtime.ts";
import { availableParallelism } from "node:os";
import { Readable } from "node:stream";

import type { Engine } from "../../engines/engine.ts";
import { type Db, violatedUnique } from "../../platform/database/database.ts";
import { recordAuditEvent } from "../../platform/audit/audit-log.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { newId } from "../../platform/crypto.ts";
import { logParts } from "../../platform/http/log-parts.ts";
import { tagOf } from "../../platform/http/not-modified.ts";
import type { ProcessorSettings } from "../../platform/settings/processor-settings.ts";
import type { Notifications } from "../../platform/database/pg-notifications.ts";
import type { Auth } from "../auth/auth-service.ts";
import type { MonthBudgets } from "../billing/budgets/month-budgets-service.ts";
import type { Purses } from "../billing/purses/purses-service.ts";
import type { RunCode } from "../code/run-code-service.ts";
import type { Git } from "../git/git-service.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import type { Right } from "../projects/projects-service.ts";
import type { RunRecords } from "../runs/run-records-service.ts";
import type { VersionForRun } from "../versions/versions-service.ts";
import type { RunBudgets } from "./budgets/run-budgets.ts";
import { isGit, runWishOf, toOrder } from "./commands/commands.ts";
import { createOrders, type NewerCode } from "./commands/order-commands.ts";
import { toJobSummary } from "./jobs/job-view.ts";
import type { JobListQueries } from "./jobs/job-list-queries.ts";
import type { JobQueries, JobRow } from "./jobs/jobs-queries.ts";
import { createReadableJob } from "./jobs/readable-job.ts";
import { createJobList } from "./jobs/list-jobs.ts";
import { queuePositionOf } from "./jobs/queue-words.ts";
import { sessionEvent } from "./jobs/session-event.ts";
import { jobText } from "./logs/log-text.ts";
import type { LogQueries } from "./logs/logs-queries.ts";
import type { OutputQueries } from "./logs/outputs-queries.ts";
import { toQuestion } from "./commands/question-name.ts";
import { demandOf } from "./agent/graph-for-agent.ts";
import { createGraphForRun } from "./agent/graph-for-run.ts";
import type { Publish } from "./agent/publish.ts";
import { withoutVariables } from "./agent/publish-batch.ts";
import type { Sessions } from "./jobs/job-lifecycle.ts";
import { trialEnded } from "../../platform/installation/trial-of.ts";

interface Dependencies {
  db: Db;
  jobs: JobQueries;
  jobLists: JobListQueries;
  outputs: OutputQueries;
  logs: LogQueries;
  sessions: Sessions;
  engine: Engine;
  notifications: Notifications;
  auth: Auth;
  graphs: Graphs;
  git: Pick<Git, "order">;
  runCode: Pick<RunCode, "take" | "refuseUnfitFields">;
  newerCode: NewerCode;
  runs: RunRecords;
  budgets: RunBudgets;
  monthBudgets: Pick<MonthBudgets, "admit">;
  purses: Pick<Purses, "lockInUse">;
  versionForRun: VersionForRun;
  settings: ProcessorSettings;
  publish: Publish;
}

export type Processors = ReturnType<typeof createProcessors>;

/** Commands that need no announcement to other people. */
const quiet = new Set<string>([
  "plan",
  "evaluate",
  "cancel-evaluate",
  "unfold",
  "frame",
  "exceptions",
  "info",
  "sample",
  "break",
  "clear",
]);

/** What people do with processors. */
export function createProcessors(deps: Dependencies) {
  const { jobs, outputs, logs, sessions, auth, graphs, settings } = deps;
  const orders = createOrders(deps);
  const { orderRun, orderWorker, announceAndWake } = orders;

  async function requireExecutionToken(caller: Caller): Promise<Account> {
    const { account } = await auth.describe(caller.accountId);
    if (!account.has_exec_token) throw new AppError("invalid_execution_token");
    return account;
  }

  /** Publishes who gave the processor a command. */
  function publishActor(
    graphId: string | null,
    jobId: string,
    command: string,
    { username, first_name }: ActedEvent["by"],
  ): void {
    if (graphId && !quiet.has(command))
      deps.publish(graphId, "acted", { job_id: jobId, command, by: { username, first_name } });
  }

  /** A session whose workflow is gone belongs to its starter. */
  async function getJob(caller: Caller, id: string, right: Right): Promise<JobRow> {
    const job = await jobs.find(id);
    if (!job) throw new AppError("job_not_found");
    if (job.graph_id === null) {
      const isOwn = job.account_id === caller.accountId && caller.onlyProject === null;
      if (!isOwn && !caller.isAdmin) throw new AppError("job_not_found");
      return job;
    }
    try {
      await graphs.getGraph(caller, job.graph_id, right);
    } catch (error) {
      if (error instanceof AppError && error.code === "graph_not_found") throw new AppError("job_not_found");
      throw error;
    }
    return job;
  }

  const getReadableJob = createReadableJob(graphs, getJob);
  /** Stopping somebody else's session is recorded. */
  async function stop(caller: Caller, job: JobRow): Promise<void> {
    const details = { person: await auth.nameOf(job.account_id) };
    await sessions.stop(job.id, {
      by: caller.accountId,
      async alongside(trx) {
        if (job.account_id === caller.accountId) return undefined;
        await recordAuditEvent(trx, { ...sessionEvent("session.stop", caller, job), details });
        return undefined;
      },
    });
  }

  async function create(
    caller: Caller,
    graphId: string,
    { tag, for_run = false }: CreateProcessorBody,
  ): Promise<{ id: string; tag: number }> {
    const graph = await graphs.getGraph(caller, graphId, "write");
    await requireExecutionToken(caller);
    const { graph: content } = await graphs.content(graphId);
    const demand = demandOf(content);
    try {
      const job = await jobs.inTransaction(async (trx) => {
        const existing = await jobs.lockAliveOf(trx, graphId);
        // The same tag is the same request, sent twice.
        if (existing?.tag === tag) return existing.id;
        if (existing) throw new AppError("processor_exists");
        const account = await jobs.lockAccount(trx, caller.accountId);
        if (!account) throw new AppError("account_disabled");
        const purse = await deps.purses.lockInUse(trx, graph.project_id);
        const purseId = purse?.projectId ?? null;
        const alive = await jobs.countAliveOf(trx, { accountId: caller.accountId, purseId });
        const trialIsOver = !account.trial || (account.trial_end !== null && account.trial_end.getTime() < Date.now());
        if (!account.is_free && !account.subscribed && trialIsOver) throw await trialEnded(trx);
        // Each living session reserves some credits, so that many starts at once do not spend the same ones.
        if (!account.is_free && (purse?.balance ?? account.credits) - alive * settings.startCredits <= 0)
          throw new AppError(purse ? "purse_empty" : "out_of_credits");
        await deps.monthBudgets.admit(trx, { accountId: purse ? null : caller.accountId, projectId: graph.project_id });
        const id = newId();
        await recordAuditEvent(trx, sessionEvent("session.start", caller, { ...graph, id }));
        return jobs.insert(trx, {
          id,
          tag,
          graph_id: graphId,
          account_id: caller.accountId,
          purse_id: purseId,
          name: graph.name,
          description: graph.description,
          engine: deps.engine.name,
          for_run,
          demand: JSON.stringify(demand ?? {}),
          cpu_capacity: demand?.cpu ?? availableParallelism(),
          ram_gb_capacity: demand?.ram_gb ?? capacityOf(settings.ramBytes, deps.engine.machineBytes) / 1e9,
        });
      });
      if (typeof job === "string") return { id: job, tag };
      sessions.pump();
      sessions.announce(job, "new[DOCKER_JOB]");
      return { id: job.id, tag };
    } catch (error) {
      if (violatedUnique(error) === "jobs_alive_per_graph") throw new AppError("processor_exists");
      throw error;
    }
  }

  async function* outputParts(id: string, { node, last, run, after }: OutputsQuery): AsyncGenerator<NodeOutput[]> {
    const parts =
      last === "true"
        ? [await outputs.last(id)]
        : node === undefined
          ? outputs.list(id)
          : [await outputs.ofNode(id, node, { run, after })];
    for await (const rows of parts)
      yield rows.map(({ node_id, show_id, ...row }) => ({ ...row, wob_key: node_id, id: show_id }));
  }

  async function restart(caller: Caller, job: JobRow): Promise<{ tag: number }> {
    if (!isAlive(job.state)) return create(caller, job.graph_id ?? "", { tag: job.tag });
    const moved = await jobs.inTransaction(async (trx) => {
      const restarting = await jobs.transition(job.id, "RESTARTING", { paused: null }, trx);
      if (!restarting) throw new AppError("processor_busy");
      await jobs.addCommand(trx, job.id, { command: "restart" }, caller.accountId, true);
      return restarting;
    });
    announceAndWake({ ...job, ...moved });
    return { tag: job.tag };
  }

  return {
    create,

    async find(caller: Caller, graphId: string): Promise<JobSummary | null> {
      await graphs.getGraph(caller, graphId, "read");
      const job = await jobs.findOfGraph(graphId);
      return job ? toJobSummary(job) : null;
    },

    /** Where the processor is paused. Readers see the place but not the variables. */
    async findBreak(caller: Caller, graphId: string): Promise<BreakEvent | null> {
      const { access } = await graphs.getGraph(caller, graphId, "read");
      const job = await jobs.findOfGraph(graphId);
      const paused = job?.paused ?? null;
      return paused && access === "viewer" ? withoutVariables(paused) : paused;
    },

    /** The open questions of its nodes: people who come later have not received the event. */
    async openQuestions(caller: Caller, graphId: string): Promise<OpenQuestions> {
      await graphs.getGraph(caller, graphId, "write");
      const job = await jobs.findOfGraph(graphId);
      if (!job || !isAlive(job.state)) return [];
      const rows = await jobs.openQuestions(job.id);
      return rows.map((row) => toQuestion({ jobId: job.id, graphId }, row));
    },

    async command(
      caller: Caller,
      graphId: string,
      name: string,
      args: string,
    ): Promise<{ tag: number; number?: number }> {
      // Read concurrently, because somebody waits for the run. The order of refusals is decided below.
      const graph = graphs.getGraph(caller, graphId, "write");
      const token = requireExecutionToken(caller);
      const found = jobs.findOfGraph(graphId);
      await Promise.allSettled([graph, token, found]);
      await graph;
      const command = commands.find((known): known is Command => known === name);
      if (!command) throw new AppError("unknown_command");
      const person = await token;
      const job = await found;
      if (!job || (!isAlive(job.state) && command !== "restart")) throw new AppError("no_processor");
      if (command === "restart") {
        const restarted = await restart(caller, job);
        publishActor(graphId, job.id, command, person);
        return restarted;
      }
      if (command === "stop") await stop(caller, job);
      else if (isGit(command)) {
        const gitCommand = { ...(await deps.git.order(caller, graphId, command, args)), seconds: settings.gitSeconds };
        await orderWorker(caller, job, { command: gitCommand, from: ["READY"], to: "RUNNING" });
      } else {
        const wish = runWishOf(command, args);
        const isPlain = command === "interrupt" && args === "";
        const order = toOrder(command, isPlain ? `${person.force_stop_after}` : args);
        if (wish) {
          const number = await orderRun(caller, job, graphId, order, wish);
          if (command === "plan") return { tag: job.tag, number };
        } else if (command === "run-setup") await orders.orderSetup(caller, job, graphId, order);
        else await orderWorker(caller, job, order);
      }
      publishActor(graphId, job.id, command, person);
      return { tag: job.tag };
    },

    /** Refuses what `run` would refuse because of its code, before a processor is started. */
    async checkRun(caller: Caller, graphId: string, args: string): Promise<void> {
      await graphs.getGraph(caller, graphId, "write");
      await orders.checkRun(caller, graphId, runWishOf("run", args) ?? { mode: "changed" });
    },

    async cancel(caller: Caller, id: string): Promise<JobSummary> {
      const job = await getJob(caller, id, "write");
      if (!isAlive(job.state)) throw new AppError("job_ended");
      await stop(caller, job);
      const { account } = await auth.describe(caller.accountId);
      publishActor(job.graph_id, id, "stop", account);
      return toJobSummary(await getJob(caller, id, "write"));
    },

    /** Why a session waits, and how many are before it. Null when it does not wait. */
    async queuePosition(caller: Caller, id: string): Promise<QueuePosition | null> {
      const job = await getJob(caller, id, "read");
      if (job.state !== "QUEUED") return null;
      const isClosed = await deps.jobLists.areAllClosed();
      return queuePositionOf(job, await deps.jobLists.queuePosition(id, settings), isClosed);
    },

    /** Restarts the idle time of a session. */
    async keep(caller: Caller, id: string): Promise<JobSummary> {
      const job = await getJob(caller, id, "write");
      const kept = await jobs.keep(id);
      if (!kept) throw new AppError("job_ended");
      sessions.announce({ ...job, ...kept });
      return toJobSummary({ ...job, ...kept });
    },

    list: createJobList({ queries: deps.jobLists, logs, graphs }),

    /** The sessions that serve a deployment. Whoever asks has checked that the caller may see it. */
    ofDeployment: async (deploymentId: string): Promise<JobSummary[]> =>
      (await deps.jobLists.ofDeployment(deploymentId)).map(toJobSummary),

    /** The job and its log as JSON text (`Job`). A session that has ended has a tag, which stays while nothing changes. */
    async get(
      caller: Caller,
      id: string,
      query: LogsQuery,
    ): Promise<{ tag: string | undefined; text: AsyncIterable<string> }> {
      const { job, isPrivate } = await getReadableJob(caller, id);
      const summary = toJobSummary(job);
      const told = [JSON.stringify(summary), job.last_line, job.cut_line, JSON.stringify(query), `${isPrivate}`];
      const lines = isPrivate ? Readable.from([]) : logs.read(job, query);
      return { tag: isAlive(job.state) ? undefined : tagOf(told), text: jobText(summary, lines) };
    },

    /** The log of a graph's session as JSON text (`LogEntryList`). */
    async logs(caller: Caller, graphId: string, query: LogsQuery): Promise<AsyncIterable<string>> {
      await graphs.getGraph(caller, graphId, "read");
      const job = await jobs.findOfGraph(graphId);
      return logParts(job ? logs.read(job, query) : Readable.from([]));
    },

    /** The outputs of a session as JSON text (`NodeOutputList`). */
    async outputs(caller: Caller, id: string, query: OutputsQuery): Promise<AsyncIterable<string>> {
      if ((await getReadableJob(caller, id)).isPrivate) throw new AppError("call_content_private");
      return logParts(outputParts(id, query));
    },

    async packages(caller: Caller, id: string): Promise<RunPackages[]> {
      await getJob(caller, id, "read");
      return jobs.packages(id);
    },

    async nodeRuns(caller: Caller, id: string): Promise<NodeRun[]> {
      await getJob(caller, id, "read");
      return jobs.nodeRuns(id);
    },

    runnerGraph: createGraphForRun(deps),

    /** A session's log. Nothing once the session is removed. */
    async readLog(jobId: string, query: LogsQuery): Promise<AsyncIterable<LogEntry[]>> {
      const job = await jobs.find(jobId);
      return job ? logs.read(job, query) : Readable.from([]);
    },

    /** The living processor of a graph. */
    async findAliveId(graphId: string): Promise<string | undefined> {
      const job = await jobs.findOfGraph(graphId);
      return job && isAlive(job.state) ? job.id : undefined;
    },

    /** Ends those that have not started. */
    async finishAllQueued(isTheirs: (job: JobRow) => boolean, reason: string): Promise<void> {
      for (const job of await jobs.listAlive()) if (isTheirs(job)) await sessions.finishQueued(job.id, { reason });
    },
    async stopAll(isTheirs: (job: JobRow) => boolean, reason: string): Promise<void> {
      for (const job of await jobs.listAlive()) if (isTheirs(job)) await sessions.stop(job.id, { reason });
    },
  };
}

/** The memory that a session without a policy may use. */
const capacityOf = (allowed: number | undefined, machineBytes: number): number =>
  allowed === undefined ? machineBytes / 2 : allowed || machineBytes;
