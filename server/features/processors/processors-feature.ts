import { errors } from "@miranda/contract/errors.ts";

import type { Engine } from "../../engines/engine.ts";
import type { Cipher } from "../../platform/cipher.ts";
import type { Db } from "../../platform/database.ts";
import type { Http } from "../../platform/http-server.ts";
import type { ProcessorSettings } from "../../platform/processor-settings.ts";
import type { WakeUps } from "../../platform/wake-ups.ts";
import type { Auth } from "../auth/auth-service.ts";
import { createBilling } from "../billing/billing-service.ts";
import type { RunCode } from "../code/run-code-service.ts";
import type { Git } from "../git/git-service.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import type { Realtime } from "../realtime/realtime-service.ts";
import type { NodeFiles } from "../nodes/files-service.ts";
import type { Secrets } from "../secrets/secrets-service.ts";
import { createAnswers } from "./answers-service.ts";
import { createJobQueries } from "./jobs-queries.ts";
import { createLogQueries } from "./logs-queries.ts";
import { createOutputQueries } from "./outputs-queries.ts";
import { processorRoutes } from "./processors-routes.ts";
import { createProcessors } from "./processors-service.ts";
import { watchProcessors } from "./processors-watch.ts";
import { openRunnerDoor } from "./runner-door.ts";
import { runnerRoutes } from "./runner-routes.ts";
import { createRunner } from "./runner-service.ts";
import { createSessions } from "./sessions.ts";

interface Dependencies {
  http: Http;
  db: Db;
  engine: Engine;
  wakeUps: WakeUps;
  cipher: Cipher;
  auth: Auth;
  graphs: Graphs;
  git: Git;
  runCode: RunCode;
  secrets: Secrets;
  files: Pick<NodeFiles, "findContent">;
  realtime: Pick<Realtime, "publish" | "publishToAccount" | "presentIn">;
  /** Packages may have been installed for this workflow. */
  onSetUp: (graphId: string) => void;
  settings: ProcessorSettings;
  hasDiskRoom: () => Promise<boolean>;
  version: string;
}

/** The processors with everything they need of their own. */
export async function installProcessors(deps: Dependencies): Promise<void> {
  const { http, db, engine, wakeUps, cipher, auth, graphs, git, secrets, realtime, settings } = deps;
  const jobs = createJobQueries(db);
  const logs = createLogQueries(db);
  const { publish, publishToAccount } = realtime;
  const report = (error: unknown, what: string): void => http.log.error({ err: error }, what);
  const sessions = createSessions({ jobs, logs, engine, wakeUps, settings, publish, publishToAccount, report });
  const processors = createProcessors({
    ...{
      jobs,
      outputs: createOutputQueries(db),
      logs,
      sessions,
      engine,
      wakeUps,
      auth,
      graphs,
      git,
      settings,
      publish,
    },
    runCode: deps.runCode,
  });
  const runner = createRunner({
    db,
    jobs,
    logs,
    cipher,
    wakeUps,
    publish,
    billing: createBilling(settings),
    announce: sessions.announce,
    findSecret: secrets.take,
    findFile: deps.files.findContent,
    git,
    onOutOfCredits: (accountId) => {
      processors
        .stopAllOf(accountId, `The session was stopped: ${errors.out_of_credits}`)
        .catch((error: unknown) => report(error, "stopping for want of credits failed"));
    },
    onEnded: sessions.pump,
    onSetUp: deps.onSetUp,
    measure: engine.usage,
    hasDiskRoom: deps.hasDiskRoom,
    notice: engine.notice,
    logBytes: settings.logBytes,
    outputBytes: settings.outputBytes,
    version: deps.version,
  });
  const answers = createAnswers({ graphs, processors, runner, wakeUps });
  secrets.onAnswer(answers.takeSecret);

  processorRoutes(http, processors, answers);
  await runnerRoutes(http, runner, processors);
  let closeDoor: (() => Promise<void>) | undefined;
  let watch: ReturnType<typeof watchProcessors> | undefined;
  async function begin(): Promise<void> {
    await engine.listening();
    if (engine.doorFolder) closeDoor = await openRunnerDoor(http, engine.doorFolder);
    watch = watchProcessors({
      db,
      jobs,
      engine,
      sessions,
      accessExpression: graphs.accessExpression,
      settings,
      presentIn: realtime.presentIn,
      report,
    });
    sessions.pump();
  }
  let beginning: Promise<void> | undefined;
  http.addHook("onListen", () => (beginning = begin()));
  // Agents that wait for a command are let go first, or the server would wait for them.
  http.addHook("preClose", async () => wakeUps.close());
  http.addHook("onClose", async () => {
    // A server may be closed before it has begun.
    await beginning?.catch(() => undefined);
    await closeDoor?.();
    await watch?.close();
    await sessions.idle();
  });
}
