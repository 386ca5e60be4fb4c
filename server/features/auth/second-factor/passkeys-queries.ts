import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import type { PasskeysTable } from "../../../tables/second-factor-tables.ts";

const now = sql<Date>`now()`;

export function createPasskeyQueries(db: Db) {
  return {
    list: (accountId: string) =>
      db.selectFrom("passkeys").selectAll().where("account_id", "=", accountId).orderBy("id").execute(),

    findByCredential: (credentialId: string) =>
      db.selectFrom("passkeys").selectAll().where("credential_id", "=", credentialId).executeTakeFirst(),

    insert: (row: Omit<PasskeysTable, "created_at" | "last_used_at">) =>
      db.insertInto("passkeys").values(row).execute(),

    rename: async (accountId: string, id: string, name: string): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable("passkeys")
        .set({ name })
        .where("account_id", "=", accountId)
        .where("id", "=", id)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    delete: (accountId: string, id: string) =>
      db
        .deleteFrom("passkeys")
        .where("account_id", "=", accountId)
        .where("id", "=", id)
        .returning("name")
        .executeTakeFirst(),

    deleteAll: (accountId: string) => db.deleteFrom("passkeys").where("account_id", "=", accountId).execute(),

    /** False when the counter went backwards: somebody has copied the passkey. Many passkeys do not count, and stay at 0. */
    countUse: async (id: string, counter: number): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable("passkeys")
        .set({ counter, last_used_at: now })
        .where("id", "=", id)
        .where((eb) => eb.or([eb("counter", "<", counter), eb.and([eb("counter", "=", 0), eb.val(counter === 0)])]))
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
  };
}
