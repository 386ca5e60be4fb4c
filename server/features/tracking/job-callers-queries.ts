import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";
import type { JobsTable } from "../../tables/session-tables.ts";

interface FoundJob {
  token_hash: Buffer | null;
  state: JobsTable["state"];
  project_id: string | null;
  graph_id: string | null;
  account_id: string;
  username: string;
  run_id: string | null;
  run: number | null;
}

/** A session, the run that it carries out, and who runs it. */
export async function findJob(db: Db, id: string): Promise<FoundJob | undefined> {
  const { rows } = await sql<FoundJob>`
    select jobs.token_hash, jobs.state, jobs.project_id, jobs.graph_id, accounts.id as account_id, accounts.username,
      runs.id as run_id, runs.number as run
    from jobs left join runs on runs.job_id = jobs.id and runs.ended_at is null
    join accounts on accounts.id = coalesce(runs.account_id, jobs.account_id) and accounts.deleted_at is null
    where jobs.id = ${id} order by runs.number desc limit 1`.execute(db);
  return rows[0];
}
