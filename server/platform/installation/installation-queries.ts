import { sql, type Updateable } from "kysely";

import type { InstallationSettingsTable } from "../../tables/admin-tables.ts";
import type { Db } from "../database/database.ts";

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

    hasAccounts: async (): Promise<boolean> => {
      const found = await db.selectFrom("accounts").select("id").limit(1).executeTakeFirst();
      return found !== undefined;
    },
  };
}
