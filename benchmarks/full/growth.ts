import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import pg from "pg";

import { migrate } from "../../server/platform/database/migrate.ts";
import { startEmbeddedPostgres } from "../../server/platform/database/postgres/embedded-postgres.ts";

// How large the tables of sessions become. Makes days of sessions by SQL and prints what each table takes:
// `node benchmarks/full/growth.ts 30`. A month takes some minutes and several gigabytes.

const sessionsADay = 10_000;
const accounts = 2_000;
const days = Number(process.argv[2] ?? 1);
const sampleDays = Math.min(days, 3);

/** A session of five minutes: four batches of 50 lines, two outputs, six commands, five nodes, a sample every 2 s. */
const statements: [string, string][] = [
  [
    "no checks of foreign keys, which take longer than the rows",
    ["log_chunks", "job_commands", "job_nodes", "usage_samples"]
      .map((table) => `alter table ${table} drop constraint ${table}_job_id_fkey`)
      .join(";"),
  ],
  [
    "accounts, projects and workflows",
    `insert into accounts (id, username, email, first_name, last_name, password_hash, trial, credits)
    select gen_random_uuid(), 'person' || n, 'person' || n || '@example.org', 'P', 'P', 'x', false, 100
    from generate_series(1, ${accounts}) as n;
    insert into projects (id, owner_id, name) select gen_random_uuid(), id, 'A project' from accounts;
    insert into graphs (id, project_id, name) select gen_random_uuid(), id, 'A workflow' from projects;
    create temp table place as select row_number() over () - 1 as n, graphs.id as graph_id, project_id, owner_id
    from graphs join projects on projects.id = project_id;
    create unique index on place (n)`,
  ],
  [
    "jobs",
    `insert into jobs (id, tag, graph_id, account_id, name, description, state, engine, engine_ref, token_hash, demand,
      total_cost, created_at, started_at, ended_at, state_at, seen_at, used_at, last_line)
    select gen_random_uuid(), made.n, graph_id, owner_id, 'Train a model', 'Reads the tides and trains a model.', 'EXITED', 'local',
      '{"pid": 12345, "start": "123456789", "host": "machine"}', sha256(made.n::text::bytea), '{"cpu": 1, "ram_gb": 2}', 0.01,
      at, at, at + interval '5 minutes', at, at, at, 200
    from generate_series(0, ${days * sessionsADay - 1}) as made(n) join place on place.n = made.n % ${accounts},
      lateral (select now() - interval '1 day' * (${days} - made.n / ${sessionsADay}.0) as at) as times;
    create temp table session as select id, row_number() over (order by created_at desc) as age from jobs`,
  ],
  [
    "log_chunks",
    // A hundred different texts are enough: PostgreSQL compresses each row by itself.
    `create temp table printed as select n, (
      select json_agg(json_build_array(line, 1, 0, 1790000000000 + line * 37,
        'epoch ' || line || ' loss ' || round(random()::numeric, 6) || ' accuracy ' || round(random()::numeric, 6), 4711))
      from generate_series(1, 50) as line where n >= 0)::text as entries
    from generate_series(0, 99) as n;
    insert into log_chunks (job_id, first_line, lines, bytes, entries)
    select id, first, 50, 3000, entries from session join printed on n = age % 100, unnest(array[1, 51, 101, 151]) as first`,
  ],
  [
    "job_outputs",
    `insert into job_outputs (job_id, node_id, run, number, data, bytes)
    select id, 4711, 1, number, json_build_object('text/plain', (select string_agg(md5(id::text || number || n), '') from generate_series(1, 32) n)), 1024
    from session, generate_series(1, 2) as number`,
  ],
  [
    "job_commands",
    `insert into job_commands (job_id, number, command)
    select id, number, '{"command": "run", "mode": "changed", "target": null, "breakpoints": {}}' from session, generate_series(1, 6) as number`,
  ],
  [
    "job_nodes",
    `insert into job_nodes (job_id, node_id, run, status, seconds, fires)
    select id, node, 1, 'DONE', 1.5, 1 from session, generate_series(4711, 4715) as node`,
  ],
  [
    "runs",
    `insert into runs (id, graph_id, account_id, job_id, session_tag, session_name, number, command, mode, graph_revision, state,
      nodes_run, cost, first_line, last_line, packages, python, usage, began_at, ended_at)
    select gen_random_uuid(), graph_id, account_id, id, tag, name, 1, 1, 'changed', 1, 'done', 5, 0.01, 1, 200,
      '{"numpy": "2.3.4", "pandas": "2.3.3"}', '3.14.0', (select json_build_object('times', list, 'cpu', list, 'ram_gb', list,
        'received', list, 'sent', list) from (select json_agg(round((n * 2.003)::numeric, 3)) as list from generate_series(1, 150) n)),
      created_at, ended_at
    from jobs`,
  ],
  [
    "run_nodes",
    `insert into run_nodes (run_id, node_id, name, planned, reason, status, seconds, fires, spans)
    select id, node, 'Train a model', true, 'It has not run yet.', 'done', 1.5, 1, '[[0.001234, 0.002345, 1.502345]]'
    from runs, generate_series(4711, 4715) as node`,
  ],
  [
    "ledger",
    `insert into ledger (account_id, kind, job_id, project_id, day, amount)
    select account_id, 'usage', id, project_id, created_at::date, -0.01 from jobs`,
  ],
  [
    "usage_samples",
    `insert into usage_samples (job_id, number, seconds, cpu_seconds, ram_gb, cost, created_at)
    select id, number, 2, 1.2, 0.4, 0.0001, now() - interval '1 second' * age
    from session, generate_series(1, 150) as number where age <= ${sampleDays * sessionsADay}`,
  ],
];

const tables = [
  ...["jobs", "log_chunks", "job_outputs", "job_commands", "job_nodes", "runs", "run_nodes", "ledger", "usage_samples"],
];

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "miranda-growth-"));
  const postgres = await startEmbeddedPostgres(join(folder, "postgres"), () => undefined);
  const pool = new pg.Pool({ connectionString: postgres.url, max: 1 });
  // Without a listener the connection that ends with the database would hide why a statement failed.
  pool.on("error", () => undefined);
  try {
    await migrate(pool, resolve(import.meta.dirname, "..", "..", "server", "migrations"));
    await pool.query("set synchronous_commit = off");
    for (const [what, statement] of statements) {
      const began = performance.now();
      await pool.query(statement);
      process.stderr.write(`${what}: ${((performance.now() - began) / 1_000).toFixed(0)} s\n`);
    }
    await pool.query("vacuum analyze");
    process.stdout.write(`${days} days of ${sessionsADay} sessions, samples of ${sampleDays} days\n`);
    for (const table of tables) {
      const { rows } = await pool.query<{ count: number; heap: number; indexes: number }>(
        `select (select count(*) from ${table})::float8 as count,
          (pg_total_relation_size($1) - pg_indexes_size($1))::float8 as heap, pg_indexes_size($1)::float8 as indexes`,
        [table],
      );
      const [{ count, heap, indexes } = { count: 0, heap: 0, indexes: 0 }] = rows;
      const sessions = sessionsADay * (table === "usage_samples" ? sampleDays : days);
      const each = ((heap + indexes) / sessions).toFixed(0);
      process.stdout.write(
        `${table}: ${count} rows, ${megabytes(heap)} and ${megabytes(indexes)} of indexes; ${each} bytes a session\n`,
      );
    }
  } finally {
    await pool.end();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

await main();
