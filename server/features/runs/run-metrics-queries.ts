import type { RunUsage } from "@miranda/contract/schemas/runs.ts";

import type { Db } from "../../platform/database/database.ts";

/** What was measured, once the run has ended. */
export async function findUsage(db: Db, runId: string): Promise<RunUsage | null> {
  const row = await db.selectFrom("runs").select("usage").where("id", "=", runId).executeTakeFirst();
  return row?.usage ?? null;
}
