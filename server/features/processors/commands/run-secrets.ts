import { carryCode } from "@miranda/contract/command-args.ts";
import type { AgentCommand } from "@miranda/contract/protocol/agent.ts";

import { AppError } from "../../../platform/errors/app-error.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { createSecretReads } from "./secret-reads.ts";
import { findRun, lockRun, markSecrets } from "./run-secrets-queries.ts";

type SecretOwner = { projectId: string } | { accountId: string };

interface Dependencies {
  db: Db;
  findSecret: (key: string, owner: SecretOwner) => Promise<string | undefined>;
  recordRead: ReturnType<typeof createSecretReads>;
}

const forGit = /^(?:git|ssh)\./;

/** The secrets for node code: the project's, and during a run those of the person who started it. */
export function createRunSecrets({ db, findSecret, recordRead }: Dependencies) {
  return async (
    jobId: string,
    projectId: string | null,
    key: string,
  ): Promise<{ value: string } | { error: string }> => {
    if (forGit.test(key)) return { error: `The secret '${key}' is for git commands. Node code cannot read it.` };
    const [shared, present] = await Promise.all([
      projectId === null ? undefined : findSecret(key, { projectId }),
      findRun(db, jobId),
    ]);
    const accountId = present?.account_id ?? null;
    const read = { kind: "secret.read", jobId, projectId, accountId, key } as const;
    if (shared !== undefined) {
      await recordRead(read);
      return { value: shared };
    }
    const value = accountId ? await findSecret(key, { accountId }) : undefined;
    if (value === undefined) return { error: `There is no secret '${key}'.` };
    const isLent = await db.transaction().execute(async (trx) => {
      const run = await lockRun(trx, jobId);
      if (!run || run.account_id !== accountId || run.secrets === "withheld") return false;
      await markSecrets(trx, jobId, run, "lent");
      return true;
    });
    if (isLent) await recordRead(read);
    return isLent
      ? { value }
      : { error: `There is no secret '${key}' in this run: somebody else has evaluated code in it.` };
  };
}

/**
 * Limits a command in another person's run. Evaluated code, conditions and log messages are Python that runs as part of
 * the program: they must not read the runner's personal secrets.
 */
export async function withinRun(
  trx: Db,
  jobId: string,
  accountId: string,
  command: AgentCommand,
): Promise<AgentCommand> {
  if (command.command === "evaluate") {
    const { onlyOwn = false, ...rest } = command;
    await allowCode(trx, jobId, accountId, onlyOwn);
    return rest;
  }
  if (command.command === "break" && Object.values(command.breakpoints ?? {}).some(carryCode))
    await allowCode(trx, jobId, accountId, false);
  if (command.command === "continue" && command.lines && carryCode(command.lines)) {
    const run = await lockRun(trx, jobId);
    // In another person's run, continue brings no code: the breakpoints stay as they are.
    if (run && run.account_id !== accountId) return { ...command, lines: undefined };
  }
  return command;
}

async function allowCode(trx: Db, jobId: string, accountId: string, onlyOwn: boolean): Promise<void> {
  const run = await lockRun(trx, jobId);
  if (!run || run.account_id === accountId) return;
  if (onlyOwn) throw new AppError("run_by_another");
  if (run.secrets === "lent") throw new AppError("run_of_another");
  await markSecrets(trx, jobId, run, "withheld");
}
