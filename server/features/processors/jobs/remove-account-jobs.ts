import type { Engine } from "../../../engines/engine.ts";
import { removal } from "../../../limits.ts";
import type { Db } from "../../../platform/database/database.ts";
import { accountJobQueries } from "./account-jobs-queries.ts";
import type { Billing } from "../../billing/billing-service.ts";
import type { OldJobQueries } from "./old-jobs-queries.ts";

interface Dependencies {
  db: Db;
  oldJobs: Pick<OldJobQueries, "removeContents" | "remove">;
  billing: Pick<Billing, "keepSums">;
  engine: Pick<Engine, "clean">;
  report: (error: unknown, what: string) => void;
}

/** Removes the sessions of a deleted account that nobody else can see: files before rows, as for old sessions. */
export function createAccountJobRemoval({ db, oldJobs, billing, engine, report }: Dependencies) {
  const queries = accountJobQueries(db);
  // Left to the retention of old sessions. Without this list their account would be tried again for ever.
  const failed: string[] = [];

  return async (accountId: string): Promise<"more" | "waiting" | "done"> => {
    const ids = await queries.listRemovable(accountId, failed, removal.sessionsPerBatch);
    const cleaned: string[] = [];
    for (const id of ids) {
      try {
        await engine.clean(id);
        cleaned.push(id);
      } catch (error) {
        failed.push(id);
        report(error, `removing the files of the session ${id} of a deleted account failed`);
      }
    }
    if (cleaned.length > 0) {
      for await (const _batch of oldJobs.removeContents(cleaned));
      await oldJobs.remove(cleaned, billing.keepSums);
    }
    if (ids.length > 0) return "more";
    return (await queries.hasPending(accountId)) ? "waiting" : "done";
  };
}
