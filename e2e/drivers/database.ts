import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";

/** Changes what only time could change: the database of the product that global-setup started. */
async function changeDatabase(statement: string, values: unknown[]): Promise<number> {
  const folder = process.env["E2E_DATA"];
  if (!folder) throw new Error("The journeys need the database that global-setup starts.");
  const postgres = join(folder, "postgres");
  const client = new pg.Client({
    host: join(postgres, "socket"),
    port: 5432,
    user: "miranda",
    password: await readFile(join(postgres, "password"), "utf8"),
    database: "miranda",
  });
  await client.connect();
  try {
    return (await client.query(statement, values)).rowCount ?? 0;
  } finally {
    await client.end();
  }
}

/** Nobody keeps this data: waiting for the disk at every commit only takes time. */
export async function stopWaitingForDisk(): Promise<void> {
  await changeDatabase("alter system set fsync = off", []);
  await changeDatabase("select pg_reload_conf()", []);
}

/** Makes the versions of a workflow as old as if this many days had passed since. */
export async function ageVersions(graph: string, days: number): Promise<void> {
  const aged = await changeDatabase(
    "update graph_versions set created_at = created_at - make_interval(days => $2) where graph_id = $1",
    [graph, days],
  );
  if (aged === 0) throw new Error("The workflow has no version.");
}

/** Makes the runs of a workflow and its sessions as old as if this many days had passed since. */
export async function ageRuns(graph: string, days: number): Promise<void> {
  const aged = await changeDatabase(
    `update runs set began_at = began_at - make_interval(days => $2), ended_at = ended_at - make_interval(days => $2)
      where graph_id = $1`,
    [graph, days],
  );
  if (aged === 0) throw new Error("The workflow has no run.");
  await changeDatabase("update jobs set created_at = created_at - make_interval(days => $2) where graph_id = $1", [
    graph,
    days,
  ]);
}

/** Gives a run this many more nodes, later than its own, two of which ran at the same time. */
export async function addRunNodes(run: string, count: number): Promise<void> {
  await changeDatabase(
    `insert into run_nodes (run_id, node_id, name, planned, reason, status, seconds, fires, spans)
      select $1, 1000000000 + at, 'Part ' || at, true, 'It has not run in this session.', 'done', 0.01, 1,
        jsonb_build_array(jsonb_build_array(100 + at / 2 * 0.01, 100 + at / 2 * 0.01 + 0.002, 100 + at / 2 * 0.01 + 0.01))
      from generate_series(1, $2::int) as at`,
    [run, count],
  );
}

interface Spent {
  project: string;
  projectName: string;
  graphName: string;
  daysAgo: number;
  amount: string;
  /** Who ran it; by default who paid. */
  by?: string;
  source?: "session" | "call" | "schedule";
}

/** Books what a session cost, as if it had run some days ago. */
export async function bookUsage(
  username: string,
  { project, projectName, graphName, daysAgo, amount, by = username, source = "session" }: Spent,
): Promise<void> {
  await changeDatabase(
    `with booked as (
      insert into ledger (account_id, kind, project_id, project_name, graph_id, graph_name, person_id, source, at, day, amount)
        select id, 'usage', $2, $3, gen_random_uuid(), $4, (select id from accounts where username = $7), $8,
          quarter_hour(now() - make_interval(days => $5)), current_date - $5::int, -($6::numeric)
        from accounts where username = $1
        returning account_id, amount
      )
      update accounts set credits = credits + booked.amount from booked where id = booked.account_id`,
    [username, project, projectName, graphName, daysAgo, amount, by, source],
  );
}

/** Books a session that began at this time and has ended, with some samples. */
export async function bookSession(username: string, graph: string, begin: Date): Promise<void> {
  const booked = await changeDatabase(
    `with job as (
      insert into jobs (id, tag, graph_id, account_id, name, engine, state, total_cost, started_at, ended_at)
        select gen_random_uuid(), 1, $2, id, 'Forecast', 'local', 'EXITED', 0.000003702, $3, $3::timestamptz + interval '6 seconds'
        from accounts where username = $1 returning *
      ), samples as (
        insert into usage_samples (job_id, number, seconds, cpu_seconds, ram_gb, cost)
          select id, 10000 + at, 12.34, 123.45, 10.123, 0.000001234 from job, generate_series(1, 3) as at
      ), paid as (
        update accounts set credits = credits - job.total_cost from job where accounts.id = job.account_id
      )
      insert into ledger (account_id, kind, job_id, graph_id, graph_name, person_id, source, at, day, amount)
        select account_id, 'usage', id, graph_id, name, account_id, 'session', quarter_hour(started_at), started_at::date,
          -total_cost from job`,
    [username, graph, begin],
  );
  if (booked === 0) throw new Error("There is no such account.");
}

/** Ends the trial of an account, as if its days had passed. */
export async function endTrial(username: string): Promise<void> {
  const changed = await changeDatabase(
    "update accounts set trial_end = now() - interval '1 hour' where username = $1 and trial",
    [username],
  );
  if (changed === 0) throw new Error("The account has no trial.");
}

/** Only an administrator could do this, and the first account of the installation may be somebody else. */
export async function makeAdministrator(username: string): Promise<void> {
  const changed = await changeDatabase("update accounts set is_admin = true where username = $1", [username]);
  if (changed === 0) throw new Error("There is no such account.");
}
