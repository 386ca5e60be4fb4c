import type { Db } from "../database/database.ts";
import { lockUntilCommit } from "./quota-lock-queries.ts";

/** What a quota counts, such as the projects of an account. */
export interface Counted {
  what:
    | "projects"
    | "samples"
    | "workflows"
    | "templates"
    | "secrets"
    | "access tokens"
    | "files"
    | "models"
    | "artefacts"
    | "versions"
    | "version bytes"
    | "webhooks"
    | "deployment tokens"
    | "schedules"
    | "experiments"
    | "comment threads"
    | "teams"
    | "invitations";
  owner: string;
}

const lastInLine = new Map<string, Promise<unknown>>();

/**
 * A transaction that counts and adds, one at a time per owner. Without the lock, two at once would both take the last
 * place.
 */
export function addWithinQuota<Result>(db: Db, counted: Counted, work: (trx: Db) => Promise<Result>): Promise<Result> {
  return oneAtATime(counted, () =>
    db.transaction().execute(async (trx) => {
      await lockQuota(trx, counted);
      return work(trx);
    }),
  );
}

/**
 * One at a time on this server. Calls that wait for the lock inside the database each hold a connection: one account
 * could hold them all.
 */
export async function oneAtATime<Result>(counted: Counted, work: () => Promise<Result>): Promise<Result> {
  const key = keyOf(counted);
  const before = lastInLine.get(key);
  const own = before ? before.then(work, work) : work();
  lastInLine.set(key, own);
  try {
    return await own;
  } finally {
    if (lastInLine.get(key) === own) lastInLine.delete(key);
  }
}

/** For an existing transaction. The lock lasts until it ends, on all servers. */
export async function lockQuota(trx: Db, counted: Counted): Promise<void> {
  await lockUntilCommit(trx, keyOf(counted));
}

function keyOf({ what, owner }: Counted): string {
  return `${what} of ${owner}`;
}
