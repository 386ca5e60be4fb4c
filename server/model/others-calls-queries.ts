import { type RawBuilder, sql, type SqlBool } from "kysely";

import type { Db } from "../platform/database/database.ts";

/**
 * Whether a run is a call of a deployment that somebody else made. What it was given, showed and logged is not for people
 * who only read the workflow. The run of a call may be removed before the call.
 */
export const isOthersCall = (runId: RawBuilder<unknown>, accountId: string): RawBuilder<SqlBool> => sql<SqlBool>`(
  exists (select from runs as called
    where called.id = ${runId} and called.source <> 'person' and called.account_id is distinct from ${accountId}::uuid)
  or exists (select from calls as called
    where called.id = ${runId} and called.account_id is distinct from ${accountId}::uuid))`;

/** Whether one of these tracked runs, or of the runs that made these logged models, belongs to a call of somebody else. */
export async function hasOthersCall(
  db: Db,
  { runs, models }: { runs: readonly string[]; models: readonly string[] },
  accountId: string,
): Promise<boolean> {
  if (runs.length + models.length === 0) return false;
  const { rows } = await sql`
    select from (
      select unnest(${runs}::uuid[]) as id
      union select run_id from tracked_runs where id = any(${runs}::uuid[])
      union select tracked_runs.run_id from logged_models join tracked_runs on tracked_runs.id = logged_models.run_id
        where logged_models.id = any(${models}::text[])) as named
    where named.id is not null and ${isOthersCall(sql.ref("named.id"), accountId)} limit 1`.execute(db);
  return rows.length > 0;
}
