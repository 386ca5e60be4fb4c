import { fork } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import pg from "pg";

import { type Measurement, median, sized } from "./measuring/measurement.ts";
import { call, type Job } from "./measuring/agent-calls.ts";
import { openProduct, type Product } from "./measuring/product.ts";

// Runs one server and one PostgreSQL with 10,000 accounts and more and more live processors. A separate process plays
// their agents over the real protocol: each sends a usage sample every 2 s and has one long poll open. Compares how long
// another person's read takes with the same read when there is no processor at all.

const accounts = sized(10_000, { tiny: 100 });
const levels = [0, 250, 500, 1_000].map((live) => sized(live, { tiny: live / 50 }));
const maxLive = Math.max(...levels);
// Every level needs its own jobs, because a job's samples are numbered from 1.
const jobCount = levels.reduce((sum, live) => sum + live, 0);
const warmUp = sized(8_000, { tiny: 1_000 });
const length = sized(16_000, { tiny: 3_500 });
const budget = 3;

async function fillDatabase(pool: pg.Pool): Promise<Job[]> {
  await pool.query(
    `insert into accounts (id, username, email, first_name, last_name, password_hash, trial, credits, subscribed)
     select gen_random_uuid(), 'person' || n, 'person' || n || '@example.org', 'P', 'P', 'x', false, 1000000, true
     from generate_series(1, $1::int) n`,
    [accounts],
  );
  await pool.query(
    `insert into projects (id, owner_id, name)
     select gen_random_uuid(), id, 'A project' from accounts where username like 'person%' order by username limit $1`,
    [jobCount],
  );
  await pool.query(
    `insert into graphs (id, project_id, name) select gen_random_uuid(), id, 'A workflow' from projects where name = 'A project'`,
  );
  const { rows } = await pool.query<{ graph_id: string; account_id: string }>(
    `select graphs.id graph_id, owner_id account_id from graphs join projects on projects.id = project_id where graphs.name = 'A workflow'`,
  );
  const jobs = rows.map((row) => ({ ...row, id: crypto.randomUUID(), token: randomBytes(24).toString("hex") }));
  for (const { id, token, graph_id, account_id } of jobs)
    await pool.query(
      `insert into jobs (id, tag, graph_id, account_id, name, state, engine, engine_ref, token_hash, total_cost, seen_at)
       values ($1, 1, $2, $3, 'A workflow', 'RUNNING', 'local', '{"pid": 1, "start": "1", "host": "another"}', $4, 0, now())`,
      [id, graph_id, account_id, createHash("sha256").update(token).digest()],
    );
  return jobs;
}

/** The CPU seconds of each of these processes that still exists. */
function cpuSeconds(pids: number[]): Map<number, number> {
  const found = new Map<number, number>();
  for (const pid of pids) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? [];
      found.set(pid, (Number(fields[11]) + Number(fields[12])) / 100);
    } catch {
      // PostgreSQL ends the process of a closed connection.
    }
  }
  return found;
}

/** The CPU seconds that these processes have used since `before`. */
function usedSince(before: Map<number, number>): number {
  const now = [...cpuSeconds([...before.keys()])];
  return now.reduce((sum, [pid, seconds]) => sum + seconds - (before.get(pid) ?? 0), 0);
}

async function postgresPids(pool: pg.Pool): Promise<number[]> {
  const { rows } = await pool.query<{ pid: number }>("select pid from pg_stat_activity");
  return rows.map(({ pid }) => pid);
}

interface Level {
  live: number;
  read: number;
  batches: number[];
  server: number;
  postgres: number;
}

async function measure({ bench, serverPid }: Product, pool: pg.Pool, jobs: Job[]): Promise<Level> {
  const { url } = bench.server;
  const batches: number[] = [];
  const agents = jobs.length > 0 ? fork(join(import.meta.dirname, "measuring", "play-agents.ts")) : undefined;
  agents?.send({ url, jobs });
  let isWarm = false;
  agents?.on("message", (waited: number[]) => isWarm && batches.push(...waited));
  // It has begun.
  if (agents) await once(agents, "message");
  await sleep(warmUp);
  isWarm = true;
  const cookie = [...bench.owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const agent = new Agent({ keepAlive: true });
  const reads: number[] = [];
  const server = cpuSeconds([serverPid]);
  const postgres = cpuSeconds(await postgresPids(pool));
  const began = performance.now();
  while (performance.now() - began < length) {
    const start = performance.now();
    await call(agent, `${url}/api/v3/graphs/${bench.graphId}`, { cookie });
    reads.push(performance.now() - start);
    await sleep(20);
  }
  const seconds = (performance.now() - began) / 1_000;
  const level = {
    live: jobs.length,
    read: median(reads),
    batches,
    server: usedSince(server) / seconds,
    postgres: usedSince(postgres) / seconds,
  };
  agent.destroy();
  if (agents) {
    agents.kill("SIGKILL");
    await once(agents, "exit");
  }
  await pool.query("update jobs set state = 'EXITED' where id = any($1)", [jobs.map(({ id }) => id)]);
  return level;
}

function asResult({ live, read, batches, server, postgres }: Level, empty: number): Measurement {
  const p99 = batches.toSorted((one, other) => one - other)[Math.floor(batches.length * 0.99)] ?? 0;
  const rate = (batches.length / (length / 1_000)).toFixed(0);
  const ratio = read / empty;
  return {
    name: `another person's read beside ${live} live processors`,
    ours: `${read.toFixed(1)} ms`,
    bare:
      live === 0
        ? ""
        : `without any ${empty.toFixed(1)} ms; ${rate} batches/s (p50 ${median(batches).toFixed(1)} ms, p99 ${p99.toFixed(0)} ms), ` +
          `server ${server.toFixed(2)} cores, PostgreSQL ${postgres.toFixed(2)} cores`,
    ratio: `${ratio.toFixed(2)} x`,
    budget: `<= ${budget} x`,
    passes: ratio <= budget,
  };
}

export async function processors(): Promise<Measurement[]> {
  const product = await openProduct({ MIRANDA_PROCESSORS: String(maxLive) });
  const pool = new pg.Pool({ connectionString: product.databaseUrl, max: 1 });
  try {
    const jobs = await fillDatabase(pool);
    const results: Level[] = [];
    for (const live of levels) results.push(await measure(product, pool, jobs.splice(0, live)));
    const empty = results[0]?.read ?? Number.NaN;
    return results.map((level) => asResult(level, empty));
  } finally {
    await pool.end();
    await product.close();
  }
}
