import { sql, type Updateable } from "kysely";

import type { InstallationSettingsTable } from "../../tables/admin-tables.ts";
import type { Db } from "../database/database.ts";

/** Whether running costs nobody anything. */
export const isFree = sql<boolean>`(select payment = 'free' from installation_settings)`;

export function installationQueries(db: Db) {
  return {
    read: () =>
      db
        .selectFrom("installation_settings")
        .selectAll()
        .select((eb) =>
          eb
            .selectFrom("accounts")
            .select("username")
            .whereRef("accounts.id", "=", "installation_settings.changed_by")
            .as("changed_by_name"),
        )
        .executeTakeFirstOrThrow(),

    /** False when somebody else changed the settings since `version`. */
    change: async (change: Updateable<InstallationSettingsTable>, version: number, by: string): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable("installation_settings")
        .set({ ...change, version: version + 1, changed_by: by, changed_at: sql<Date>`now()` })
        .where("version", "=", version)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    administrators: (most: number) =>
      db
        .selectFrom("accounts")
        .select(["email", sql<string>`trim(concat(first_name, ' ', last_name))`.as("name")])
        .where("is_admin", "=", true)
        .where("deleted_at", "is", null)
        .where("disabled_at", "is", null)
        .orderBy("id")
        .limit(most)
        .execute(),

    /** Trials that end within so many days, and that somebody still uses. None when running is free. */
    endingTrials: async (days: number): Promise<{ username: string; trial_end: Date }[]> => {
      const { rows } = await sql<{ username: string; trial_end: Date }>`
        select username, trial_end from accounts
        where trial and not subscribed and deleted_at is null and disabled_at is null and not ${isFree}
          and trial_end between now() and now() + make_interval(days => ${days})
        order by trial_end, id limit 1000`.execute(db);
      return rows;
    },

    /** Answers that the operator gave in advance. They count until an administrator has answered. */
    answer: async (answers: Updateable<InstallationSettingsTable>): Promise<void> => {
      await db.updateTable("installation_settings").set(answers).where("first_start", "=", "open").execute();
    },

    hasAccounts: async (): Promise<boolean> => {
      const found = await db.selectFrom("accounts").select("id").limit(1).executeTakeFirst();
      return found !== undefined;
    },
  };
}
