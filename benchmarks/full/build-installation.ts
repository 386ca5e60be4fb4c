import type pg from "pg";

import { sized } from "../measuring/measurement.ts";

// Fills a database as years of use would. Everything is made by SQL: through the product it would take days.

export interface Volumes {
  accounts: number;
  projects: number;
  graphs: number;
  jobs: number;
  runs: number;
  models: number;
  ledgerRows: number;
  samples: number;
}

export const fullVolumes: Volumes = {
  accounts: sized(20_000, { tiny: 200 }),
  projects: sized(50_000, { tiny: 500 }),
  graphs: sized(200_000, { tiny: 2_000 }),
  jobs: sized(300_000, { tiny: 3_000 }),
  runs: sized(200_000, { tiny: 2_000 }),
  models: sized(50_000, { tiny: 500 }),
  ledgerRows: sized(1_000_000, { tiny: 10_000 }),
  samples: sized(1_000_000, { tiny: 10_000 }),
};

/** The share of everything that belongs to the heaviest account. */
const heavyShare = 0.04;

/** Numbered ids of one kind of thing, ordered by time as the product makes them, over the last two years. */
function idTable(name: string, count: number): string {
  return `
    create temp table ${name} as
    select n, at, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0')
      || '7' || substr(hash, 1, 3) || '8' || substr(hash, 4, 15))::uuid as id
    from generate_series(0, ${count - 1}) as n(n),
      lateral (select timestamptz '2026-11-01' - interval '730 days' * (1 - n::float8 / ${count}) as at, md5('${name}' || n) as hash) as made;
    create unique index on ${name} (n);
    analyze ${name}`;
}

/** One account in all has a large share of everything; the rest is spread over the others. */
const owners = (volumes: Volumes, heavy: string) => `
  create temp table owner_of as
  select n.n, case when n.n % 100 < ${heavyShare * 100} then '${heavy}'::uuid else a.id end as id
  from generate_series(0, 99999) as n(n) join account_ids a on a.n = n.n * 7919 % ${volumes.accounts};
  create unique index on owner_of (n);
  analyze owner_of`;

function statements(volumes: Volumes, heavy: string): [string, string][] {
  const { accounts, projects, graphs, jobs, runs, models, ledgerRows, samples } = volumes;
  return [
    [
      "ids",
      [
        idTable("account_ids", accounts),
        idTable("project_ids", projects),
        idTable("graph_ids", graphs),
        idTable("job_ids", jobs),
        idTable("run_ids", runs),
        idTable("model_ids", models),
      ].join(";"),
    ],
    [
      "accounts",
      `insert into accounts (id, username, email, first_name, last_name, password_hash, trial, credits, onboarded_at)
      select id, 'person' || n, 'person' || n || '@example.org', 'Person', 'No. ' || n, 'x', false, 100, now() from account_ids`,
    ],
    ["owners", owners(volumes, heavy)],
    [
      "projects",
      `insert into projects (id, owner_id, name, description, visibility, created_at, updated_at)
      select p.id, o.id, (array['Tide tables', 'Churn', 'Image search', 'Demand forecast', 'Speech', 'Fraud'])[1 + p.n % 6] || ' ' || p.n,
        repeat('What this project is about, in a few words. ', 5),
        case when p.n % 3 = 0 then 'private' else 'public' end, p.at, p.at
      from project_ids p join owner_of o on o.n = p.n % 100000 order by p.n`,
    ],
    [
      "project members",
      `insert into project_members (project_id, account_id, role)
      select p.id, a.id, case when n.n % 2 = 0 then 'editor' else 'viewer' end
      from generate_series(1, ${projects * 2}) as n(n)
      join project_ids p on p.n = n.n % ${projects} join account_ids a on a.n = n.n * 31 % ${accounts}
      on conflict do nothing`,
    ],
    [
      "memberships of the heaviest account",
      `insert into project_members (project_id, account_id, role)
      select id, '${heavy}', 'editor' from projects where owner_id <> '${heavy}' and metadata_id % 50 = 0`,
    ],
    [
      "follows",
      `insert into follows (project_id, account_id)
      select p.id, o.id from project_ids p join owner_of o on o.n = p.n * 13 % 100000 on conflict do nothing`,
    ],
    [
      "workflows",
      `insert into graphs (id, project_id, name, description, created_at, updated_at)
      select g.id, p.id, (array['Clean', 'Train', 'Evaluate', 'Report', 'Load', 'Join', 'Sample'])[1 + g.n % 7] || ' '
        || substr(md5('name' || g.n), 1, 6), 'A workflow.', g.at, g.at
      from graph_ids g join project_ids p on p.n = g.n / 4 % ${projects} order by g.n`,
    ],
    [
      "ended sessions",
      `insert into jobs (id, tag, graph_id, account_id, name, description, state, engine, cpu_capacity, ram_gb_capacity,
        total_cost, created_at, started_at, ended_at, state_at, seen_at)
      select j.id, j.n, case when j.n % 200 = 0 then null else g.id end, o.id, 'Train ' || j.n, 'project / workflow',
        case when j.n % 10 = 0 then 'ERROR' else 'EXITED' end, 'local', 1, 1, 0.01,
        j.at, j.at, ended, ended, ended
      from job_ids j join graph_ids g on g.n = j.n::bigint * 3 % ${graphs} join owner_of o on o.n = j.n % 100000,
        lateral (select j.at + interval '5 minutes' as ended) as times order by j.n`,
    ],
    [
      "logs",
      `insert into log_chunks (job_id, first_line, lines, bytes, entries)
      select id, 1, 2, 60, '[[1,1,20,0,"started"],[2,1,20,1,"done"]]' from job_ids`,
    ],
    [
      "runs",
      `insert into runs (id, graph_id, account_id, job_id, session_tag, session_name, number, command, mode, graph_revision,
        state, nodes_run, cost, first_line, last_line, began_at, ended_at)
      select r.id, g.id, o.id, j.id, r.n, 'Session ' || r.n, 1, 1, 'all', 1,
        (array['failed', 'crashed', 'stopped', 'done', 'done', 'done', 'done', 'done', 'done', 'done'])[1 + r.n % 10],
        2, 0.01, 1, 2, r.at, r.at + interval '1 minute'
      from run_ids r join graph_ids g on g.n = r.n::bigint * 3 % ${graphs} join owner_of o on o.n = r.n % 100000
      join job_ids j on j.n = r.n order by r.n`,
    ],
    [
      "nodes of runs",
      `insert into run_nodes (run_id, node_id, name, planned, reason, status, seconds, fires, spans)
      select id, node, 'Step ' || node, true, 'It has not run yet.', 'done', 1.5, 1, '[[0.1, 0.2, 1.7]]'
      from run_ids, generate_series(1, 2) as node`,
    ],
    [
      "models",
      `with made as (
        insert into models (id, project_id, name, graph_id, job_id, authors, miranda_version, hardware, metrics, latest_version,
          created_at, updated_at)
        select m.id, graphs.project_id, 'model-' || m.n, g.id, j.id, array['person' || m.n], '0.1.0', array['CPU'],
          jsonb_build_object('loss', m.n % 97 / 97.0, 'accuracy', m.n % 89 / 89.0), 1, m.at, m.at
        from model_ids m join graph_ids g on g.n = m.n::bigint * 5 % ${graphs} join graphs on graphs.id = g.id
          join job_ids j on j.n = m.n::bigint * 6 % ${jobs}
        returning *
      )
      insert into model_versions (model_id, number, graph_id, author, metrics, hardware, miranda_version, created_at, updated_at)
      select id, 1, graph_id, authors[1], metrics, hardware, miranda_version, created_at, updated_at from made`,
    ],
    [
      "the ledger",
      `insert into ledger (account_id, kind, job_id, project_id, day, amount, created_at, updated_at)
      select o.id, 'usage', j.id, p.id, (j.at + interval '1 day' * (n.n / ${jobs}))::date, -0.01, j.at, j.at
      from generate_series(0, ${ledgerRows - 1}) as n(n) join job_ids j on j.n = n.n % ${jobs}
      join owner_of o on o.n = n.n % 100000 join project_ids p on p.n = n.n % ${projects}`,
    ],
    [
      "usage samples",
      `insert into usage_samples (job_id, number, seconds, cpu_seconds, ram_gb, cost, created_at)
      select j.id, n.n / ${jobs / 10}, 2, 1, 0.1, 0.0001, timestamptz '2026-11-01' + interval '1 second' * n.n / 4
      from generate_series(0, ${samples - 1}) as n(n) join job_ids j on j.n = n.n % ${jobs / 10}`,
    ],
  ];
}

/** Fills the database. `heavy` is the id of the account that gets a large share of everything. */
export async function buildInstallation(
  pool: pg.Pool,
  heavy: string,
  volumes: Volumes,
  log: (line: string) => void,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("set synchronous_commit = off; set work_mem = '128MB'");
    for (const [what, statement] of statements(volumes, heavy)) {
      const began = performance.now();
      const { rowCount } = await client.query(statement);
      log(`${what}: ${rowCount ?? 0} rows in ${((performance.now() - began) / 1_000).toFixed(1)} s`);
    }
    await client.query("vacuum analyze");
  } finally {
    client.release(true);
  }
}
