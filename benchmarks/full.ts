import pg from "pg";

import { TestClient } from "../server/testing/test-client.ts";
import { password, type TestAccount } from "../server/testing/test-server.ts";
import { buildInstallation, fullVolumes } from "./full/build-installation.ts";
import { addLog, addRun } from "./full/large-things.ts";
import { answersOf, type Call, callsOf } from "./full/calls.ts";
import { watchPlans } from "./full/whole-table-reads.ts";
import { type Measurement, median, sized } from "./measuring/measurement.ts";
import { openProduct } from "./measuring/product.ts";

// Every call of a screen on an almost empty installation, and again on one with years of use in it.

const timesSlower = 5;
const alwaysAllowed = 50;
const bytesMax = 1_000_000;
const rounds = sized(7);
// PostgreSQL may plan a statement another way after it has run a few times.
const planRounds = sized(12);
const stepCode = `from miranda import Node, Receiver, Transmitter


class Step(Node):
    rows = Receiver("table")
    out = Transmitter("table")
`;

interface Timing {
  milliseconds: number;
  bytes: number;
}

async function time({ client, call: { path } }: Asked): Promise<Timing> {
  const measured: number[] = [];
  let bytes = 0;
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    bytes = await answersOf(client, path);
    measured.push(performance.now() - began);
  }
  return { milliseconds: median(measured), bytes };
}

/** A call as somebody: the administrator, the account that has most, or one that has nothing. */
interface Asked {
  name: string;
  client: TestClient;
  call: Call;
}

export async function full(): Promise<Measurement[]> {
  const product = await openProduct();
  const { bench } = product;
  const pool = new pg.Pool({ connectionString: product.databaseUrl, max: 2 });
  // Watching the plans ends its idle connections too.
  pool.on("error", () => undefined);
  const log = (line: string) => process.stderr.write(`${line}\n`);
  try {
    const step = await bench.node(stepCode);
    // Everybody asked here may read it.
    await bench.owner.patch(`/api/v3/projects/${bench.projectId}`, { visibility: "public" });
    const heavy = await register(product.url, "heavy");
    const people = {
      "the administrator": bench.owner,
      "the heaviest account": heavy,
      "a new account": await register(product.url, "new"),
    };
    const jobId = await addLog(pool, bench.graphId, bench.owner.account.id, 1_000);
    const runId = await addRun(pool, jobId, 1_000);
    const calls = callsOf({ graphId: bench.graphId, projectId: bench.projectId, jobId, runId, nodeId: step });
    const asked: Asked[] = Object.entries(people).flatMap(([who, client]) =>
      calls.map((call) => ({ name: `${call.name}, as ${who}`, client, call })),
    );
    const small = new Map<string, Timing>();
    for (const one of asked) small.set(one.name, await time(one));
    await buildInstallation(pool, heavy.account.id, fullVolumes, log);
    const large = new Map<string, Timing>();
    for (const one of asked) large.set(one.name, await time(one));
    const { adminUrl, logFile } = product.database;
    const plans = await watchPlans(adminUrl, product.databaseUrl, logFile);
    try {
      const results: Measurement[] = [];
      for (const one of asked) {
        await plans.takeLarge();
        for (let round = 0; round < planRounds; round += 1) await answersOf(one.client, one.call.path);
        results.push(compare(one, small.get(one.name), large.get(one.name), await plans.takeLarge()));
      }
      return results;
    } finally {
      await plans.close();
    }
  } finally {
    await pool.end();
    await product.close();
  }
}

const nothing: Timing = { milliseconds: 0, bytes: 0 };

function compare({ name, call }: Asked, before = nothing, after = nothing, readWhole: string[]): Measurement {
  const allowed = Math.max(timesSlower * before.milliseconds, alwaysAllowed);
  const ours = `${after.milliseconds.toFixed(1)} ms, ${Math.round(after.bytes / 1_000)} kB`;
  const isSmall = call.isStreamed === true || after.bytes <= bytesMax;
  return {
    name,
    ours: readWhole.length > 0 ? `${ours}, reads all of ${readWhole.join(", ")}` : ours,
    bare: `almost empty ${before.milliseconds.toFixed(1)} ms`,
    ratio: (after.milliseconds / before.milliseconds).toFixed(1),
    budget: `${allowed.toFixed(0)} ms, no large table read whole${call.isStreamed ? "" : ", 1 MB"}`,
    passes: after.milliseconds <= allowed && isSmall && readWhole.length === 0,
  };
}

async function register(url: string, username: string): Promise<TestAccount> {
  const client = new TestClient(url);
  const body = { username, email: `${username}@example.org`, first_name: "A", last_name: "B", password };
  const { account } = (await client.post("/api/v3/auth/register", body)).json<{ account: TestAccount["account"] }>();
  return Object.assign(client, { account });
}
