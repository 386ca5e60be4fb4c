import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { sql } from "kysely";

import { getMlflow, hasMlflow, mlflowPython } from "../../scripts/mlflow.ts";
import type { RunMetrics } from "../../contract/schemas/runs.ts";
import { newId } from "../../server/platform/crypto.ts";
import { giveToken } from "../../server/testing/workbench.ts";
import { type Measurement, median, sized } from "../measuring/measurement.ts";
import { openProduct, type Product } from "../measuring/product.ts";

// What training code does with a tracking server, by MLflow's own client: here, and with MLflow's own server and SQLite.

const run = promisify(execFile);
const searched = 10_000;
const points = sized(1_000_000, { tiny: 2_000 });
const chartBudget = 300;
const program = join(import.meta.dirname, "tracking_client.py");

interface Times {
  log_batch: number;
  search: number;
  upload: number;
}

async function measure(uri: string, token: string, experiment: string): Promise<Times> {
  const folder = await mkdtemp(join(tmpdir(), "miranda-mlflow-bench-"));
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    MLFLOW_TRACKING_URI: uri,
    MLFLOW_TRACKING_TOKEN: token,
    MLFLOW_DISABLE_TELEMETRY: "true",
  };
  try {
    const { stdout } = await run(mlflowPython("3"), [program, experiment], { cwd: folder, env, maxBuffer: 64 << 20 });
    return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Times;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs to search among, and one with a long series. The same rows for both servers. */
const fillSqlite = `
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
columns = {row[1] for row in db.execute("pragma table_info(experiments)")}
db.execute("insert into experiments (experiment_id, name, artifact_location, lifecycle_stage" + (", workspace" if "workspace" in columns else "")
  + ") values (7, 'searched', 'mlflow-artifacts:/7', 'active'" + (", 'default'" if "workspace" in columns else "") + ")")
runs = [(f"{at:032x}", f"run {at}", "LOCAL", "x", "x", "bench", "FINISHED", 1000 + at, 2000 + at, "active", f"mlflow-artifacts:/7/{at:032x}/artifacts", 7) for at in range(${searched})]
db.executemany("insert into runs (run_uuid, name, source_type, source_name, entry_point_name, user_id, status, start_time, end_time, lifecycle_stage, artifact_uri, experiment_id) values (?,?,?,?,?,?,?,?,?,?,?,?)", runs)
db.executemany("insert into latest_metrics (key, value, timestamp, step, is_nan, run_uuid) values (?,?,1,0,0,?)", [(name, (at * 7919 % 10007) / 10007, run[0]) for at, run in enumerate(runs) for name in ("score", "loss", "other")])
db.executemany("insert into params (key, value, run_uuid) values (?,?,?)", [(name, "ab"[at % 2], run[0]) for at, run in enumerate(runs) for name in ("kind", "rate", "depth")])
db.executemany("insert into tags (key, value, run_uuid) values ('mlflow.runName', ?, ?)", [(run[1], run[0]) for run in runs])
db.executemany("insert into metrics (key, value, timestamp, step, is_nan, run_uuid) values ('long', ?, ?, ?, 0, ?)", ((at % 1000 / 1000, at, at, runs[0][0]) for at in range(${points})))
db.execute("insert into latest_metrics (key, value, timestamp, step, is_nan, run_uuid) values ('long', 1, ?, ?, 0, ?)", (${points}, ${points}, runs[0][0]))
db.commit()
`;

async function fillOurs({ bench }: Product): Promise<void> {
  const { db } = bench.server;
  const { projectId } = bench;
  await db.insertInto("experiments").values({ project_id: projectId, number: 7, name: "searched" }).execute();
  await sql`
    with made as (
      insert into tracked_runs (id, project_id, experiment, name, status, began_at, ended_at)
      select gen_random_uuid(), ${projectId}, 7, at::text, 'FINISHED', to_timestamp(1000 + at), to_timestamp(2000 + at)
      from generate_series(0, ${searched - 1}) as at returning id, name::integer as at
    ), metrics as (
      insert into metric_summaries (run_id, name, position, points, last_value, last_step, last_time)
      select id, key, 1, 1, (at * 7919 % 10007) / 10007.0, 0, now() from made, unnest(array['score', 'loss', 'other']) as key
    ), tags as (
      insert into tracked_tags (run_id, key, value) select id, 'mlflow.runName', 'run ' || at from made
    ) insert into tracked_params (run_id, key, value)
      select id, key, case at % 2 when 0 then 'a' else 'b' end from made, unnest(array['kind', 'rate', 'depth']) as key`.execute(
    db,
  );
  await sql`analyze`.execute(db);
}

/** A run of a workflow with a long series, logged by calls as a client makes them. Returns its id and calls per second. */
async function logLong({ bench, url }: Product, token: string): Promise<{ runId: string; perSecond: number }> {
  const runId = newId();
  await sql`insert into runs (id, graph_id, job_id, session_tag, session_name, number, command, mode, graph_revision, state,
      account_id, ended_at, first_line)
    values (${runId}, ${bench.graphId}, ${newId()}, 1, '', 1, 1, 'all', 1, 'done', ${bench.owner.account.id}, now(), 1)`.execute(
    bench.server.db,
  );
  const began = performance.now();
  for (let from = 0; from < points; from += 1_000) {
    const metrics = Array.from({ length: 1_000 }, (_, at) => {
      const step = from + at;
      return { key: "long", value: (step % 1_000) / 1_000, timestamp: Date.now(), step };
    });
    const answer = await fetch(`${url}/mlflow/${bench.projectId}/api/2.0/mlflow/runs/log-batch`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ run_id: runId.replaceAll("-", ""), metrics }),
    });
    if (answer.status !== 200) throw new Error(await answer.text());
    await answer.arrayBuffer();
  }
  return { runId, perSecond: points / ((performance.now() - began) / 1_000) };
}

async function timeOf(action: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < 5; at += 1) {
    const began = performance.now();
    await action();
    times.push(performance.now() - began);
  }
  return median(times);
}

async function ours(): Promise<Times & { chart: number; perSecond: number }> {
  const product = await openProduct();
  try {
    const { bench, url } = product;
    const token = await giveToken(bench.owner);
    await fillOurs(product);
    const times = await measure(`${url}/mlflow/${bench.projectId}`, token, "7");
    const { runId, perSecond } = await logLong(product, token);
    const chart = await timeOf(async () => {
      const answer = await bench.owner.get(`/api/v3/runs/${runId}/metrics`);
      const [line] = answer.json<RunMetrics>();
      if (line?.count !== points) throw new Error(answer.text.slice(0, 500));
    });
    return { ...times, chart, perSecond };
  } finally {
    await product.close();
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}

async function theirs(): Promise<Times & { chart: number }> {
  const folder = await mkdtemp(join(tmpdir(), "miranda-mlflow-server-"));
  const port = await freePort();
  const database = join(folder, "mlflow.sqlite");
  const options = ["--port", String(port), "--backend-store-uri", `sqlite:///${database}`];
  const places = ["--artifacts-destination", join(folder, "artefacts")];
  const server = spawn(mlflowPython("3"), ["-m", "mlflow", "server", ...options, ...places], {
    cwd: folder,
    env: {
      PATH: `${join(mlflowPython("3"), "..")}:${process.env["PATH"]}`,
      HOME: folder,
      MLFLOW_DISABLE_TELEMETRY: "true",
    },
    stdio: "ignore",
    detached: true,
  });
  const url = `http://127.0.0.1:${port}`;
  try {
    for (let at = 0; at < 240; at += 1) {
      if (
        await fetch(`${url}/health`).then(
          ({ ok }) => ok,
          () => false,
        )
      )
        break;
      await sleep(500);
    }
    await writeFile(join(folder, "fill.py"), fillSqlite);
    await run(mlflowPython("3"), [join(folder, "fill.py"), database]);
    const times = await measure(url, "", "7");
    const chart = await timeOf(async () => {
      const query = `run_ids=${"0".repeat(32)}&metric_key=long&max_results=320`;
      const answer = await fetch(`${url}/ajax-api/2.0/mlflow/metrics/get-history-bulk-interval?${query}`);
      if (answer.status !== 200) throw new Error(await answer.text());
      await answer.arrayBuffer();
    });
    return { ...times, chart };
  } finally {
    if (server.pid !== undefined) process.kill(-server.pid, "SIGKILL");
    await rm(folder, { recursive: true, force: true });
  }
}

export async function mlflow(): Promise<Measurement[]> {
  await getMlflow();
  if (!hasMlflow())
    return [
      {
        name: "tracking",
        ours: "left out: MLflow could not be installed",
        bare: "",
        ratio: "",
        budget: "",
        passes: true,
      },
    ];
  const bare = await theirs();
  const own = await ours();
  const beside = (name: string, one: number, other: number): Measurement => ({
    name,
    ours: `${(one * 1_000).toFixed(0)} ms`,
    bare: `mlflow server ${(other * 1_000).toFixed(0)} ms`,
    ratio: (one / other).toFixed(2),
    budget: "faster",
    passes: one < other,
  });
  return [
    beside("log-batch of 1,000 metrics", own.log_batch, bare.log_batch),
    beside(`search over ${searched.toLocaleString("en")} runs`, own.search, bare.search),
    beside("upload of 100 MB", own.upload, bare.upload),
    {
      ...beside("chart of 1,000,000 points", own.chart / 1_000, bare.chart / 1_000),
      budget: `${chartBudget} ms`,
      passes: own.chart <= chartBudget,
    },
    {
      name: "metrics of one run, logged in batches",
      ours: `${own.perSecond.toFixed(0)} a second`,
      ...{ bare: "", ratio: "", budget: "1,000 a second", passes: own.perSecond >= 1_000 },
    },
  ];
}
