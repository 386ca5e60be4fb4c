import { fork } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import pg from "pg";

import { median } from "./measurement.ts";
import { openProduct, type Product } from "./product.ts";

// One server and one PostgreSQL with 10,000 accounts and more and more live processors. The processors' side is the
// agents' own protocol, spoken by a process of its own: a sample every 2 s and a waiting call each. What is compared is
// how long somebody else waits for a read, beside the same read with no processor at all.

const accounts = 10_000;
const levels = [0, 250, 500, 1_000];
const most = Math.max(...levels);
// A job's samples are numbered from 1, so every level has jobs of its own.
const all = levels.reduce((sum, live) => sum + live, 0);
const warmUp = 8_000;
const length = 16_000;
const budget = 3;

interface Job {
  id: string;
  token: string;
}

async function fill(pool: pg.Pool): Promise<Job[]> {
  await pool.query(
    `insert into accounts (id, username, email, first_name, last_name, password_hash, trial, credits, subscribed)
     select gen_random_uuid(), 'person' || n, 'person' || n || '@example.org', 'P', 'P', 'x', false, 1000000, true
     from generate_series(1, $1::int) n`,
    [accounts],
  );
  await pool.query(
    `insert into projects (id, owner_id, name)
     select gen_random_uuid(), id, 'A project' from accounts where username like 'person%' order by username limit $1`,
    [all],
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

// The agents' side.

async function call(agent: Agent, url: string, headers: Record<string, string>, body?: string): Promise<void> {
  const asked = request(url, { agent, method: body === undefined ? "GET" : "POST", headers });
  asked.end(body);
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode}`);
}

async function beAgents(url: string, jobs: Job[], tell: (waited: number) => void): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const be = async ({ id, token }: Job): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const post = async (): Promise<void> => {
      await sleep(Math.random() * 2_000);
      for (let sample = 1; ; sample += 1) {
        const began = performance.now();
        const event = { kind: "usage", sample, seconds: 2, cpu_seconds: 0.5, ram_gb: 0.03 };
        const body = JSON.stringify({ first: sample, events: [event] });
        await call(agent, `${url}/api/runner/${id}/events`, headers, body);
        const waited = performance.now() - began;
        tell(waited);
        await sleep(Math.max(0, 2_000 - waited));
      }
    };
    const poll = async (): Promise<void> => {
      await sleep(Math.random() * 2_000);
      for (;;) await call(agent, `${url}/api/runner/${id}/commands?after=0&wait=10`, headers);
    };
    await Promise.all([post(), poll()]);
  };
  await Promise.all(jobs.map(be));
}

// Ours.

/** Seconds of processor time of those that are still there. */
function processorTime(pids: number[]): Map<number, number> {
  const found = new Map<number, number>();
  for (const pid of pids) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? [];
      found.set(pid, (Number(fields[11]) + Number(fields[12])) / 100);
    } catch {
      // A connection that was closed.
    }
  }
  return found;
}

/** What they used since then. */
function usedSince(before: Map<number, number>): number {
  const now = [...processorTime([...before.keys()])];
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
  const agents = jobs.length > 0 ? fork(import.meta.filename, ["agents"]) : undefined;
  agents?.send({ url, jobs });
  let isWarm = false;
  agents?.on("message", (waited: number[]) => isWarm && batches.push(...waited));
  await sleep(warmUp);
  isWarm = true;
  const cookie = [...bench.owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const agent = new Agent({ keepAlive: true });
  const reads: number[] = [];
  const server = processorTime([serverPid]);
  const postgres = processorTime(await postgresPids(pool));
  const began = performance.now();
  while (performance.now() - began < length) {
    const asked = performance.now();
    await call(agent, `${url}/api/v3/graphs/${bench.graphId}`, { cookie });
    reads.push(performance.now() - asked);
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

async function main(): Promise<number> {
  const product = await openProduct({ MIRANDA_PROCESSORS: String(most) });
  const pool = new pg.Pool({ connectionString: product.databaseUrl, max: 1 });
  try {
    const jobs = await fill(pool);
    const found: Level[] = [];
    for (const live of levels) {
      const level = await measure(product, pool, jobs.splice(0, live));
      found.push(level);
      const { batches, server, postgres, read } = level;
      const p99 = batches.toSorted((one, other) => one - other)[Math.floor(batches.length * 0.99)] ?? 0;
      process.stdout.write(
        `     ${live} live processors: ${(batches.length / (length / 1_000)).toFixed(0)} batches/s (p50 ${median(batches).toFixed(1)} ms, ` +
          `p99 ${p99.toFixed(0)} ms), server ${server.toFixed(2)} cores, PostgreSQL ${postgres.toFixed(2)}, somebody's read ${read.toFixed(1)} ms\n`,
      );
    }
    const ratio = (found.at(-1)?.read ?? Number.NaN) / (found[0]?.read ?? Number.NaN);
    const passes = ratio <= budget;
    process.stdout.write(
      `${passes ? "ok  " : "OVER"} somebody's read beside ${most} live processors: ratio ${ratio.toFixed(2)} x (budget <= ${budget} x)\n`,
    );
    return passes ? 0 : 1;
  } finally {
    await pool.end();
    await product.close();
  }
}

if (process.argv[2] === "agents") {
  process.on("message", ({ url, jobs }: { url: string; jobs: Job[] }) => {
    let waited: number[] = [];
    setInterval(() => process.send?.(waited.splice(0)), 500);
    beAgents(url, jobs, (one) => waited.push(one)).catch((error: unknown) => {
      console.error(error);
      process.exit(1);
    });
  });
} else process.exitCode = await main();
