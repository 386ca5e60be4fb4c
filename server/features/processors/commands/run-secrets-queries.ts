import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";

/** The command that started the run. */
export interface Run {
  number: number;
  account_id: string | null;
  secrets: "lent" | "withheld" | null;
}

/**
 * The present run of a session, locked: lending a secret and another person's evaluation wait for each other. Stop,
 * restart and git are commands too, but do not lend their sender's secrets to node code.
 */
export async function lockRun(trx: Db, jobId: string): Promise<Run | undefined> {
  const { rows } = await sql<Run>`${presentRun(jobId)} for update of job_commands`.execute(trx);
  return rows[0];
}

function presentRun(jobId: string) {
  return sql`
    select job_commands.number, job_commands.account_id, job_commands.secrets
    from job_commands join jobs on jobs.id = job_commands.job_id
    where jobs.id = ${jobId} and job_commands.number = jobs.state_command
      and jobs.state in ('RUNNING', 'RESUMEREADY')
      and job_commands.command ->> 'command' in ('run', 'compile', 'run-setup')`;
}

export function markSecrets(trx: Db, jobId: string, { number }: Run, secrets: Run["secrets"]) {
  return trx
    .updateTable("job_commands")
    .set({ secrets })
    .where("job_id", "=", jobId)
    .where("number", "=", number)
    .execute();
}

/** The present run of a session, without a lock. */
export async function findRun(db: Db, jobId: string): Promise<Run | undefined> {
  const { rows } = await sql<Run>`${presentRun(jobId)}`.execute(db);
  return rows[0];
}
