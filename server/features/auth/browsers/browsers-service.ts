import type { SignedInBrowser } from "@miranda/contract/schemas/auth.ts";
import { browserWords } from "@miranda/contract/words/browser-words.ts";

import { actorOf, recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { browserQueries } from "./browsers-queries.ts";

export type Browsers = ReturnType<typeof createBrowsers>;

/** The browsers in which a person is signed in. */
export function createBrowsers(db: Db) {
  return {
    async list({ accountId, credential }: Caller): Promise<SignedInBrowser[]> {
      const rows = await browserQueries(db).list(accountId);
      return rows.map((row) => ({
        id: row.id,
        browser: browserWords(row.user_agent),
        address: row.address,
        since: row.created_at.toISOString(),
        last_seen: row.last_seen_at.toISOString(),
        current: row.token_hash.equals(credential),
      }));
    },

    async end(caller: Caller, id: string): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const ended = await browserQueries(trx).end(caller.accountId, id);
        if (!ended) throw new AppError("not_found");
        const subject = { kind: "browser", id, name: browserWords(ended.user_agent) };
        await recordAuditEvent(trx, { kind: "sign_out.browser", ...actorOf(caller), subject });
      });
    },

    /** All but the one that asks. */
    async endOthers(caller: Caller): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const browsers = await browserQueries(trx).endOthers(caller.accountId, caller.credential);
        if (browsers > 0)
          await recordAuditEvent(trx, { kind: "sign_out.everywhere", ...actorOf(caller), details: { browsers } });
      });
    },
  };
}
