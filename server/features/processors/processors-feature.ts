import { errors } from "@miranda/contract/errors.ts";
import { isAlive } from "@miranda/contract/processor.ts";
import { monthWords } from "@miranda/contract/words/budget-words.ts";

import type { Engine } from "../../engines/engine.ts";
import type { Cipher } from "../../platform/cipher.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Chore } from "../../platform/housekeeping.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { ProcessorSettings } from "../../platform/settings/processor-settings.ts";
import type { Notifications } from "../../platform/database/pg-notifications.ts";
import type { Auth } from "../auth/auth-service.ts";
import { type Balance, createBilling } from "../billing/billing-service.ts";
import type { MonthBudgets } from "../billing/budgets/month-budgets-service.ts";
import type { Purses } from "../billing/purses/purses-service.ts";
import { createCallsFeature } from "../calls/calls-feature.ts";
import type { RunCode } from "../code/run-code-service.ts";
import type { Git } from "../git/git-service.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import type { Projects } from "../projects/projects-service.ts";
import type { Realtime } from "../realtime/realtime-service.ts";
import type { NodeFiles } from "../nodes/files-service.ts";
import type { RunRecords } from "../runs/run-records-service.ts";
import type { Results } from "../results/results-service.ts";
import type { Secrets } from "../secrets/secrets-service.ts";
import type { VersionForRun } from "../versions/versions-service.ts";
import { budgetRoutes } from "./budgets/budgets-routes.ts";
import { createRunBudgets } from "./budgets/run-budgets.ts";
import { createAnswers } from "./commands/answers-service.ts";
import type { NewerCode } from "./commands/order-commands.ts";
import { createJobListQueries } from "./jobs/job-list-queries.ts";
import { createJobQueries, type JobRow } from "./jobs/jobs-queries.ts";
import { createOldJobQueries } from "./jobs/old-jobs-queries.ts";
import { removeOldJobs } from "./jobs/remove-old-jobs.ts";
import { machineRoutes } from "./machines/machines-routes.ts";
import { createMachines } from "./machines/machines-service.ts";
import { createLogQueries } from "./logs/logs-queries.ts";
import { createOutputQueries } from "./logs/outputs-queries.ts";
import { processorRoutes } from "./processors-routes.ts";
import { createProcessors } from "./processors-service.ts";
import { watchJobs } from "./jobs/watch-jobs.ts";
import { createCommandDesk } from "./agent/command-desk.ts";
import { openAgentSocket } from "./agent/agent-socket.ts";
import { runnerRoutes } from "./agent/agent-routes.ts";
import { agentResultRoutes } from "./agent/result-routes.ts";
import { createRunner, type RunRows } from "./agent/agent-service.ts";
import { createSessions } from "./jobs/job-lifecycle.ts";
import { createAccountJobRemoval } from "./jobs/remove-account-jobs.ts";

interface Dependencies {
  http: Http;
  db: Db;
  engine: Engine;
  notifications: Notifications;
  cipher: Cipher;
  auth: Auth;
  graphs: Graphs;
  git: Git;
  runCode: RunCode;
  secrets: Secrets;
  files: Pick<NodeFiles, "findContent">;
  realtime: Pick<Realtime, "publish" | "publishToAccount" | "presentIn">;
  results: Results;
  /** Packages may have been installed for this workflow. */
  onSetUp: (graphId: string) => void;
  /** A run was given these rows of the workflow. */
  onRun: (graphId: string, run: { id: string; accountId: string | null; rows: RunRows }) => void;
  /** Waits until `onRun` can take another. */
  roomForVersion: () => Promise<void>;
  runs: RunRecords;
  /** The content of a version, as a run is given it. */
  versionForRun: VersionForRun;
  newerCode: NewerCode;
  projects: Pick<Projects, "getProject">;
  monthBudgets: Pick<MonthBudgets, "admit">;
  purses: Pick<Purses, "lockInUse">;
  /** Called when people have to be told how much of a budget for the month is used up. */
  onBudgetWarned: () => void;
  /** A run has reached a limit: its people have to be told. */
  onBudgetAsked: () => void;
  settings: ProcessorSettings;
  hasDiskRoom: () => Promise<boolean>;
  /** The currency sign. */
  currency: string;
  version: string;
}

/** Wires the processors with everything they need. Returns what housekeeping and the deletion of accounts need of them. */
export async function installProcessors(deps: Dependencies) {
  const { http, db, engine, notifications, cipher, auth, graphs, git, runs, secrets, realtime, settings, currency } =
    deps;
  const jobs = createJobQueries(db);
  const logs = createLogQueries(db);
  const { publish, publishToAccount } = realtime;
  const report = (error: unknown, what: string): void => http.log.error({ err: error }, what);
  const billing = createBilling(settings);
  const sessions = createSessions({
    jobs,
    logs,
    engine,
    notifications,
    settings,
    publish,
    publishToAccount,
    runs,
    report,
    onFinished: (job, runId) => serving.sessionEnded(job, runId),
  });
  const desk = createCommandDesk(db, notifications);
  const serving = createCallsFeature({
    desk,
    db,
    jobs,
    sessions,
    runs,
    engine,
    settings,
    notifications,
    publish,
    currency,
    report,
    versionForRun: deps.versionForRun,
  });
  const { budgetSeconds } = settings;
  const budgets = createRunBudgets({
    db,
    jobs,
    sessions,
    runs,
    graphs,
    projects: deps.projects,
    notifications,
    budgetSeconds,
    currency,
    monthBudgets: deps.monthBudgets,
    onAsked: deps.onBudgetAsked,
  });
  const processors = createProcessors({
    db,
    jobs,
    jobLists: createJobListQueries(db),
    outputs: createOutputQueries(db),
    logs,
    sessions,
    engine,
    notifications,
    auth,
    graphs,
    git,
    settings,
    publish,
    runs,
    budgets,
    monthBudgets: deps.monthBudgets,
    purses: deps.purses,
    runCode: deps.runCode,
    versionForRun: deps.versionForRun,
    newerCode: deps.newerCode,
  });
  const runner = createRunner({
    db,
    jobs,
    logs,
    cipher,
    desk,
    publish,
    billing,
    announce: sessions.announce,
    findSecret: secrets.take,
    findFile: deps.files.findContent,
    git,
    onCharged: (job, balance) => {
      stopUnpaid(job, balance).catch((error: unknown) => report(error, "stopping for want of credits failed"));
      if (balance.isWarned) deps.onBudgetWarned();
    },
    onEnded: sessions.pump,
    onSetUp: deps.onSetUp,
    onRun: deps.onRun,
    runs,
    budgets,
    serving: serving.serving,
    measure: engine.usage,
    hasDiskRoom: deps.hasDiskRoom,
    notice: engine.notice,
    logBytes: settings.logBytes,
    outputBytes: settings.outputBytes,
    version: deps.version,
  });
  /** Stops what nobody pays for any more. If the server dies here, the next charge decides again. */
  async function stopUnpaid(job: JobRow, { credits, full }: Balance): Promise<void> {
    if (credits <= 0 && isAlive(job.state)) {
      const isTheirs = (one: JobRow): boolean =>
        one.purse_id === job.purse_id && (job.purse_id !== null || one.account_id === job.account_id);
      const why = job.purse_id === null ? errors.out_of_credits : errors.purse_empty;
      await processors.stopAll(isTheirs, `The session was stopped: ${why}`);
    }
    for (const { accountId, projectId, ...budget } of full) {
      const isTheirs = (one: JobRow): boolean =>
        accountId === null ? one.project_id === projectId : one.account_id === accountId && one.purse_id === null;
      await processors.stopAll(
        isTheirs,
        `The session was stopped: ${monthWords(budget, accountId === null, currency)}`,
      );
    }
  }
  const answers = createAnswers({ graphs, processors, runner, notifications });
  secrets.onAnswer(answers.takeSecret);

  const reportMachines = (error: unknown): void => report(error, "reporting the machines failed");
  const machines = createMachines({ db, engine, settings, pump: sessions.pump, report: reportMachines });
  machineRoutes(http, machines);
  processorRoutes(http, processors, answers);
  budgetRoutes(http, budgets);
  await runnerRoutes(http, runner, processors, { report, roomForVersion: deps.roomForVersion });
  await agentResultRoutes(http, runner, deps.results);
  let closeAgentSocket: (() => Promise<void>) | undefined;
  let watch: ReturnType<typeof watchJobs> | undefined;
  async function begin(): Promise<void> {
    await engine.listening();
    if (engine.agentSocketFolder) closeAgentSocket = await openAgentSocket(http, engine.agentSocketFolder);
    watch = watchJobs({
      db,
      jobs,
      engine,
      sessions,
      takeUnsent: runner.takeUnsent,
      accessExpression: graphs.accessExpression,
      settings,
      endForgottenRuns: runs.endForgotten,
      watchBudgets: budgets.watch,
      presentIn: realtime.presentIn,
      report,
    });
    machines.start();
    serving.start();
    sessions.pump();
  }
  let beginning: Promise<void> | undefined;
  http.addHook("onListen", () => (beginning = begin()));
  // Release agents that wait for a command first, or the server would wait for them.
  http.addHook("preClose", async () => notifications.close());
  http.addHook("onClose", async () => {
    // A server may be closed before it has started.
    await beginning?.catch(() => undefined);
    await closeAgentSocket?.();
    await serving.close();
    await watch?.close();
    await machines.stop();
    await sessions.idle();
  });
  const { sessionDays } = settings;
  const oldJobs = createOldJobQueries(db);
  const removeOld: Chore = () => removeOldJobs({ queries: oldJobs, engine, billing, sessionDays, report });
  return {
    removeOld,
    calls: serving.calls,
    barsOf: serving.barsOf,
    onCallChange: serving.onChange,
    deploymentChanged: serving.deploymentChanged,
    readLog: processors.readLog,
    ofDeployment: processors.ofDeployment,
    stop: sessions.stop,
    finishQueued: sessions.finishQueued,
    stopAllOf: (accountId: string, reason: string) => processors.stopAll((one) => one.account_id === accountId, reason),
    finishQueuedOf: (accountId: string, reason: string) =>
      processors.finishAllQueued((one) => one.account_id === accountId, reason),
    removeBatchOf: createAccountJobRemoval({ db, oldJobs, billing, engine, report }),
  };
}
