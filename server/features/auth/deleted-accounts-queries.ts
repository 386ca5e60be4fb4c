import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";
import { endMailedLinksOf, endSessionsOf } from "./auth-queries.ts";
import type { Proved } from "./proved-account.ts";

const now = sql<Date>`now()`;

/** Inside a transaction. */
export function deletedAccountQueries(trx: Db) {
  return {
    /** Undefined when the password was changed, or the account deleted, after the password was checked. */
    lock: ({ id, password_hash }: Proved) =>
      trx
        .selectFrom("accounts")
        .select(["id", "username", "is_admin"])
        .where("id", "=", id)
        .where("password_hash", "=", password_hash)
        .where("deleted_at", "is", null)
        .forNoKeyUpdate()
        .executeTakeFirst(),

    /** Signs the account out everywhere and removes its name. The row stays for what refers to it. */
    erase: async (id: string, username: string): Promise<void> => {
      // A colon cannot be in a username or an e-mail, so nobody can register this name.
      const nobody = `deleted:${id}`;
      await trx
        .updateTable("accounts")
        .set({ username: nobody, email: nobody, first_name: "Deleted account", last_name: "", password_hash: "" })
        .set({ industry: "", role: "", phone: "", avatar_version: null, is_admin: false, subscribed: false })
        .set({ trial: false, trial_end: null, onboarded_at: null, deleted_at: now, updated_at: now })
        .set({ notification_settings: "{}", has_second_factor: false, email_verified_at: null })
        .where("id", "=", id)
        .execute();
      await endSessionsOf(trx, id);
      await endMailedLinksOf(trx, id);
      await trx.deleteFrom("access_tokens").where("account_id", "=", id).execute();
      await trx.deleteFrom("authenticator_apps").where("account_id", "=", id).execute();
      await trx.deleteFrom("recovery_codes").where("account_id", "=", id).execute();
      await trx.deleteFrom("passkeys").where("account_id", "=", id).execute();
      await trx.deleteFrom("account_identities").where("account_id", "=", id).execute();
      await trx.deleteFrom("avatars").where("account_id", "=", id).execute();
      await trx.deleteFrom("samples").where("account_id", "=", id).execute();
      await trx.insertInto("deleting_accounts").values({ account_id: id, username }).execute();
    },
  };
}
