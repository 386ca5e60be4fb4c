import { durationText } from "@miranda/contract/words/duration-text.ts";
import { errors } from "@miranda/contract/errors.ts";
import { logLevels } from "@miranda/contract/limits.ts";
import { isAlive } from "@miranda/contract/processor.ts";
import type { NodeRun } from "@miranda/contract/schemas/processors.ts";

import type { Usage } from "../../../engines/engine.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import { isFullDisk } from "../../../platform/limits/full-disk.ts";
import type { Cipher } from "../../../platform/cipher.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { Balance, Billing, Charge } from "../../billing/billing-service.ts";
import type { Graphs } from "../../graphs/graphs-service.ts";
import type { Git, GivenGitCommand } from "../../git/git-service.ts";
import { GitOrder, type GitStep } from "../../git/git-service.ts";
import type { AliveRun, RunRecords } from "../../runs/run-records-service.ts";
import type { Secrets } from "../../secrets/secrets-service.ts";
import type { RunBudgets } from "../budgets/run-budgets.ts";
import { createBatchLimits } from "./batch-limits.ts";
import { type CommandDesk, isTokenOf } from "./command-desk.ts";
import { type JobQueries, type JobRow, roomOf } from "../jobs/jobs-queries.ts";
import type { LogQueries } from "../logs/logs-queries.ts";
import { changeOf } from "./job-change.ts";
import { correct, setAges } from "./measured-usage.ts";
import { questionName } from "../commands/question-name.ts";
import { type Batch, reduceEvents, grows, keepOwn, namedIn, nodesOf } from "./reduce-events.ts";
import type { RunnerEvent, RunnerEvents, SecretQuestion } from "@miranda/contract/protocol/agent.ts";
import { createRunSecrets } from "../commands/run-secrets.ts";
import { createSecretReads } from "../commands/secret-reads.ts";
import { createRunnerQueries } from "./agent-queries.ts";
import { saveModels } from "./save-models.ts";
import { markFailed, markStopped } from "./node-runs-queries.ts";
import { isMidRun } from "./node-progress.ts";
import { type Publish, publishOf } from "./publish.ts";
import type { ReleaseOf, Serving } from "./serving.ts";
import { unsentAfter } from "./unsent-events.ts";
import { metricNodes, metricsOf } from "./metric-events.ts";
import { growsRun, lastOfRun, bookingsOf, plannedNodes, reportOfRun, runsOf, usedBy } from "./run-events.ts";
import { createBatchPublisher } from "./publish-batch.ts";

interface Dependencies {
  db: Db;
  jobs: JobQueries;
  logs: LogQueries;
  billing: Billing;
  cipher: Cipher;
  desk: Pick<CommandDesk, "take">;
  publish: Publish;
  announce: (job: JobRow) => void;
  findSecret: Secrets["take"];
  findFile: (graphId: string, hash: string) => Promise<Buffer | undefined>;
  git: Pick<Git, "take">;
  /** Called after the transaction that charged for a session. */
  onCharged: (job: JobRow, balance: Balance) => void;
  onEnded: (job: JobRow) => void;
  onSetUp: (graphId: string) => void;
  onRun: (graphId: string, run: { id: string; accountId: string | null; rows: RunRows }) => void;
  runs: RunRecords;
  budgets: Pick<RunBudgets, "check" | "resumeLate" | "asked">;
  serving: Serving;
  /** The usage that the engine measured. Undefined where the agents' numbers count. */
  measure: ((jobId: string, isLast: boolean) => Promise<Usage | undefined>) | undefined;
  hasDiskRoom: () => Promise<boolean>;
  notice: (image: string) => string;
  logBytes: number;
  outputBytes: number;
  version: string;
}

class NoDiskRoom extends Error {
  code = "53100";
}
const waitedWords = (seconds: number): string =>
  `The disk that holds the logs was full: what is printed from here on waited for ${durationText(seconds)} until there was room.`;

/** A line for the log, when there is room for it again. */
function noteOf(since: number): RunnerEvent {
  const at = Date.now();
  return { kind: "log", tag: logLevels.WARNING, at, text: waitedWords((at - since) / 1_000), node: null };
}

/** The rows of a workflow that a session was given. */
export type RunRows = Awaited<Awaited<ReturnType<Graphs["content"]>>["rows"]>;

/** With the agent's clock when it sent them. */
type SentEvents = RunnerEvents & { clock?: number | undefined };

type Taken = SentEvents & { usage: Usage | undefined; releaseOf: ReleaseOf };

export type Runner = ReturnType<typeof createRunner>;

/** The agents' side of processors: takes their events, sends their commands. */
export function createRunner(deps: Dependencies) {
  const { db, jobs, logs, publish, runs } = deps;
  const queries = createRunnerQueries(db);
  const publishBatch = createBatchPublisher(deps);
  const recordRead = createSecretReads(db);
  const runSecret = createRunSecrets({ ...deps, recordRead });
  const limit = createBatchLimits(queries, deps.outputBytes);
  /** Since when the batch of a session has found no room. */
  const fullSince = new Map<string, number>();

  function checkToken(job: { token_hash: Buffer | null } | undefined, token: string): void {
    // Unknown jobs and wrong tokens get the same words.
    if (!isTokenOf(job?.token_hash, token)) throw new AppError("runner_unknown");
  }

  async function authenticate(jobId: string, token: string) {
    const job = await queries.findToken(jobId);
    checkToken(job, token);
    if (!job) throw new AppError("runner_unknown");
    return job;
  }

  /** A token ends with its session: a stolen one must not open the workflow and its secrets afterwards. */
  async function authenticateLiving(jobId: string, token: string) {
    const job = await authenticate(jobId, token);
    if (!isAlive(job.state)) throw new AppError("runner_ended");
    return job;
  }

  /** The git command that a processor is running. */
  async function gitCommand(jobId: string, number: number): Promise<GivenGitCommand> {
    const [job, given] = await Promise.all([queries.findToken(jobId), queries.findPresentCommand(jobId, number)]);
    const order = GitOrder.safeParse(given?.command).data;
    if (!order || !job?.graph_id || !given?.account_id) throw new AppError("runner_ended");
    const nodes = order.repositories.flatMap((repository) => repository.nodes.map(({ id }) => id));
    return { name: order.command, accountId: given.account_id, graphId: job.graph_id, nodes };
  }

  /** Only secrets named after git hosts, and only for the process that runs git. */
  async function gitSecret(jobId: string, { accountId }: GivenGitCommand, projectId: string | null, key: string) {
    if (!/^(?:git|ssh)\./.test(key)) throw new AppError("secret_forbidden");
    const shared = projectId === null ? undefined : await deps.findSecret(key, { projectId });
    const value = shared ?? (await deps.findSecret(key, { accountId }));
    if (value === undefined) return { error: `There is no secret '${key}'.` };
    await recordRead({ kind: "secret.git", jobId, projectId, accountId, key });
    return { value };
  }

  /** Stores a batch and the number of its last event in one transaction: nothing is lost or doubled. The job is locked. */
  async function store(trx: Db, job: JobRow, { first, events, clock, usage, releaseOf }: Taken) {
    const jobId = job.id;
    const last = first + events.length - 1;
    if (last <= job.last_event) return undefined;
    if (!isAlive(job.state)) throw new AppError("runner_ended");
    if (first > job.last_event + 1) throw new AppError("events_out_of_order");
    const { image = "" } = job.demand;
    const fresh = events.slice(job.last_event + 1 - first);
    const full = fullSince.get(jobId);
    if (full !== undefined && fresh.some(({ kind }) => kind === "log")) fresh.unshift(noteOf(full));
    const isServing = job.deployment_id !== null;
    const release = isServing ? releaseOf(job) : undefined;
    const names = release?.names ?? (await queries.namesOf(trx, job.graph_id ?? jobId, namedIn(fresh)));
    const batch = reduceEvents(job, fresh, { notice: deps.notice(image), names });
    const given = isServing ? await runs.findServed(trx, jobId, runsOf(batch.samples)) : [];
    const run = isServing ? given.find(({ ended_at }) => ended_at === null) : await runs.findAlive(trx, jobId);
    const named = [...nodesOf(batch), ...plannedNodes(fresh), ...metricNodes(fresh)];
    const own = release ? release.names : await ownNodes(trx, job, run, named);
    keepOwn(batch, own);
    if (usage) correct(job, batch.samples, usage);
    setAges(job, batch.samples, clock);
    if ((grows(batch) || growsRun(fresh)) && !(await deps.hasDiskRoom())) throw new NoDiskRoom();
    const added = run && { id: run.id, points: metricsOf(run.number, fresh, own) };
    const { outputs, files, outputBytes, metrics, warnedLimits } = await limit(trx, job, batch, added);

    let logBytes = job.log_bytes + batch.logBytes;
    let cutLine = job.cut_line;
    if (batch.entries.length > 0) await logs.append(trx, jobId, batch.entries, batch.logBytes);
    if (logBytes > deps.logBytes) {
      const cut = await logs.cut(trx, jobId, logBytes - deps.logBytes * 0.9);
      logBytes -= cut.bytes;
      cutLine = Math.max(cutLine, cut.line);
    }
    const bookingOf = bookingsOf(job, given, run);
    const charge = batch.samples.length > 0 ? await deps.billing.store(trx, job, batch.samples, bookingOf) : undefined;
    // Before the end of a run, which counts them.
    if (outputs.length > 0) await queries.saveOutputs(trx, jobId, outputs, files);
    const used = run && charge ? (isServing ? charge.ofRuns.get(run.number) : usedBy(run, batch, charge)) : undefined;
    const recorded = run
      ? await runs.record(trx, run, reportOfRun(run, fresh, { batch, own, used, names: release?.names }))
      : charge && !isServing && (await runs.addLast(trx, job, lastOfRun(batch, charge)));
    // The last sample of a call comes with what the session reports next.
    for (const late of isServing && charge ? given.filter((one) => one !== run) : [])
      await runs.addLate(trx, late.id, charge?.ofRuns.get(late.number));
    const told = { last, logBytes, cutLine, outputBytes, warnedLimits };
    const updated = await queries.update(trx, jobId, {
      ...changeOf(job, batch, { ...told, usage, cost: charge?.cost ?? 0n }),
      ...(run && recorded && { last_run_state: recorded.state }),
    });
    const { graph_id } = job;
    // What nodes did in calls is in their runs, and not on the canvas.
    if (!isServing) await saveNodes(trx, job, batch);
    if (graph_id && batch.models.length > 0)
      await saveModels(trx, queries, { id: jobId, graph_id, account_id: job.account_id }, batch.models, deps.version);
    for (const one of batch.questions) await queries.saveQuestion(trx, jobId, one);
    const balance = charge && (await deps.billing.charge(trx, job, charge));
    const isAlone = run !== undefined && recorded && !recorded.hasEnded;
    const asked = isAlone && !isServing && (await checkBudget(trx, run.id, updated, { batch, charge }));
    const served = isAlone ? given.find(({ id }) => id === run.id) : undefined;
    const isEnding =
      served && charge && balance && (await deps.serving.checkLimits(trx, updated, served, { ...charge, ...balance }));
    const points = run && { run_id: run.id, metrics };
    const then = { asked: asked ? run.id : undefined, isEnding };
    return { before: job, job: updated, batch, balance, recorded: recorded || undefined, metrics: points, ...then };
  }

  async function saveNodes(trx: Db, job: JobRow, batch: Batch): Promise<void> {
    const { id: jobId, graph_id } = job;
    if (batch.nodeRuns.size > 0) {
      if (graph_id) await queries.saveStatuses(trx, graph_id, batch.nodeRuns);
      await queries.saveNodeRuns(trx, jobId, batch.nodeRuns);
    }
    if (graph_id && batch.blamed.length > 0)
      takeUnfinished(batch, await markFailed(trx, jobId, graph_id, batch.blamed));
    if (batch.states.length > 0 && !isMidRun(batch.state))
      takeUnfinished(batch, await markStopped(trx, jobId, graph_id));
    for (const run of batch.packages) await queries.savePackages(trx, jobId, run);
  }

  async function checkBudget(
    trx: Db,
    runId: string,
    job: JobRow,
    { batch, charge }: { batch: Batch; charge: Charge | undefined },
  ): Promise<boolean> {
    const { paused } = batch;
    if (paused && (await deps.budgets.resumeLate(trx, runId, job.id, paused.reason))) return true;
    return charge !== undefined && deps.budgets.check(trx, runId, job);
  }

  /** Those of the nodes that belong to the workflow. A run that repeats an older one may have nodes that are deleted. */
  async function ownNodes(trx: Db, job: JobRow, run: AliveRun | undefined, nodes: number[]): Promise<Set<number>> {
    if (nodes.length === 0) return new Set();
    const own = await queries.ownNodes(trx, job.graph_id ?? job.id, nodes);
    if (run?.repeats) for (const node of await runs.knownNodes(trx, [run.repeats], nodes)) own.add(node);
    return own;
  }

  function takeUnfinished(batch: Batch, nodes: NodeRun[]): void {
    for (const node of nodes) {
      batch.nodeRuns.set(node.wob_key, node);
      batch.running = null;
    }
  }

  async function measure(jobId: string, token: string, { events }: RunnerEvents): Promise<Usage | undefined> {
    if (!deps.measure || !events.some(({ kind }) => kind === "usage")) return undefined;
    await authenticate(jobId, token);
    const isLast = events.some((event) => event.kind === "state" && !isAlive(event.state));
    return deps.measure(jobId, isLast);
  }

  function publishStored(stored: Awaited<ReturnType<typeof store>>): void {
    if (!stored) return;
    const { before, job, batch, balance, recorded, metrics, asked, isEnding } = stored;
    // First: a caller waits for it, and the next one for the session.
    if (job.deployment_id !== null)
      deps.serving.reported(before, job, { run: recorded, bars: batch.bars, isEnding: isEnding === true });
    publishBatch(before, job, batch);
    const room = roomOf(job);
    if (room && metrics && metrics.metrics.length > 0) publishOf(publish, job)(room, "run_metrics", metrics);
    if (job.deployment_id === null) runs.publish(recorded);
    if (asked) deps.budgets.asked(asked, job.id);
    if (balance) deps.onCharged(job, balance);
    if (isAlive(before.state) && !isAlive(job.state)) deps.onEnded(job);
  }

  return {
    authenticate,
    authenticateLiving,

    /** The run that the session was given. Undefined while it plans, or sets nodes up. */
    findRun: (jobId: string) => runs.findAlive(db, jobId),

    /** The version that a session is given: of its release, or of the run that it repeats. Null: the workflow as it is. */
    async versionFor(job: Pick<JobRow, "deployment_id" | "release_id">, run: AliveRun | undefined) {
      if (job.deployment_id === null) return run?.repeats ? run.version_id : null;
      const release = await deps.serving.releaseOf(job);
      if (!release) throw new AppError("runner_ended");
      return release.versionId;
    },

    /** The version of a run is made by the person who runs, not by the one who started the session. */
    async keepVersion({ id, account_id }: AliveRun, graphId: string, rows: Promise<RunRows>): Promise<void> {
      deps.onRun(graphId, { id, accountId: account_id, rows: await rows });
    },

    async takeEvents(jobId: string, token: string, events: SentEvents): Promise<{ acknowledged: number }> {
      const acknowledged = events.first + events.events.length - 1;
      const usage = await measure(jobId, token, events);
      let stored;
      try {
        stored = await deps.serving.whenRead((releaseOf) =>
          jobs.inTransaction(async (trx) => {
            const job = await queries.lock(trx, jobId);
            checkToken(job, token);
            return job && store(trx, job, { ...events, usage, releaseOf });
          }),
        );
      } catch (error) {
        if (!isFullDisk(error)) throw error;
        // The agent keeps it and asks again; when it holds enough, node code waits. Nobody's session ends for it.
        if (!fullSince.has(jobId)) fullSince.set(jobId, Date.now());
        throw new AppError("disk_full");
      }
      fullSince.delete(jobId);
      publishStored(stored);
      return { acknowledged };
    },

    /** What an agent that is gone had not sent. Which events these are is decided while the job is locked: once. */
    async takeUnsent(jobId: string, files: readonly string[]): Promise<{ lines: number; missing: number }> {
      const found = await deps.serving.whenRead((releaseOf) =>
        jobs.inTransaction(async (trx) => {
          const job = await queries.lock(trx, jobId);
          if (!job || !isAlive(job.state)) return undefined;
          const { events, missingLines: missing } = unsentAfter(job.last_event, files);
          const batch = { first: job.last_event + 1, events, usage: undefined, releaseOf };
          const stored = events.length > 0 ? await store(trx, job, batch) : undefined;
          return { stored, missing, lines: stored ? stored.job.last_line - job.last_line : 0 };
        }),
      );
      publishStored(found?.stored);
      return { lines: found?.lines ?? 0, missing: found?.missing ?? 0 };
    },

    takeCommands: deps.desk.take,

    async secret(jobId: string, token: string, { key, question, command }: SecretQuestion) {
      const job = await authenticateLiving(jobId, token);
      if (question !== undefined) {
        const answer = await queries.takeAnswer(jobId, question);
        return answer ? { value: deps.cipher.decrypt(answer) } : { error: "Nobody answered." };
      }
      if (command === undefined) return runSecret(jobId, job.project_id, key ?? "");
      return gitSecret(jobId, await gitCommand(jobId, command), job.project_id, key ?? "");
    },

    async git(jobId: string, token: string, number: number, step: GitStep) {
      await authenticateLiving(jobId, token);
      return deps.git.take(await gitCommand(jobId, number), step);
    },

    async file(jobId: string, token: string, hash: string) {
      const { graph_id, deployment_id } = await authenticateLiving(jobId, token);
      // What a caller sent is for the session that serves the call, as long as it does.
      const sent = deployment_id === null ? undefined : await queries.findSentFile(jobId, hash);
      const content = sent ?? (graph_id === null ? undefined : await deps.findFile(graph_id, hash));
      return content ? { content: content.toString("base64") } : { error: errors.file_not_found };
    },

    /**
     * Answers a question by its name, or without one the oldest. `isClear`: only a question that is answered in the
     * clear.
     */
    async answerQuestion(
      { jobId, graphId }: { jobId: string; graphId: string },
      answer: string,
      { name, isClear = false }: { name?: string | undefined; isClear?: boolean },
    ) {
      const question = await jobs.inTransaction(async (trx) => {
        const found = (await queries.openQuestions(trx, jobId)).find(
          ({ question }) => name === undefined || questionName(jobId, question) === name,
        );
        if (!found || (isClear && found.hidden)) return undefined;
        const waiting = found.question;
        await queries.answerQuestion(trx, jobId, waiting, deps.cipher.encrypt(answer));
        await jobs.addCommand(trx, jobId, { command: "answered", question: waiting }, null);
        return waiting;
      });
      if (question === undefined) return false;
      publish(graphId, "password_closed", { question: questionName(jobId, question), answered: true });
      return true;
    },
  };
}
