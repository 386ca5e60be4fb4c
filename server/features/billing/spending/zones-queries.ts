import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";

/** Whether the database knows a time zone. */
export const createZoneQueries =
  (db: Db) =>
  async (zone: string): Promise<boolean> => {
    try {
      await sql`select now() at time zone ${zone}`.execute(db);
      return true;
    } catch {
      return false;
    }
  };
