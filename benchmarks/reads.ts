import { Agent, get } from "node:http";

import Fastify from "fastify";
import pg from "pg";

import { startBare } from "./bare-server.ts";
import { type Measurement, median } from "./measurement.ts";
import { openProduct } from "./product.ts";

// The reads people wait for most, beside a bare Fastify that answers with one SELECT by key from the same database. In
// turns, each server in a process of its own, with the same client: what is compared is how many answers a second come.

const together = 16;
const length = 1_500;
const rounds = 5;
const budget = 0.5;

const selects: Record<string, string> = {
  node: "select * from nodes where metadata_id = $1",
  account: "select * from accounts where id = $1",
  graph: "select * from graphs where id = $1",
};

async function bareServer(databaseUrl: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  const app = Fastify();
  for (const [name, select] of Object.entries(selects)) {
    app.get<{ Params: { key: string } }>(`/${name}/:key`, async ({ params }) => {
      const { rows } = await pool.query<Record<string, unknown>>(select, [params.key]);
      return rows[0];
    });
  }
  process.stdout.write(`Bare is at ${await app.listen({ host: "127.0.0.1", port: 0 })}\n`);
}

function ask(url: string, agent: Agent, cookie: string): Promise<void> {
  return new Promise((answered, failed) => {
    get(url, { agent, headers: { cookie } }, (response) => {
      if (response.statusCode !== 200) failed(new Error(`${url}: ${response.statusCode}`));
      response.resume();
      response.once("end", answered);
    }).once("error", failed);
  });
}

/** Answers a second. */
async function rate(url: string, cookie: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: together });
  const began = performance.now();
  let answers = 0;
  const askOn = async () => {
    while (performance.now() - began < length) {
      await ask(url, agent, cookie);
      answers += 1;
    }
  };
  await Promise.all(Array.from({ length: together }, askOn));
  agent.destroy();
  return (answers / (performance.now() - began)) * 1_000;
}

export async function reads(): Promise<Measurement[]> {
  const product = await openProduct();
  const { bench, databaseUrl } = product;
  const bare = await startBare(import.meta.filename, databaseUrl);
  try {
    const node = await bench.node("from miranda import Node\n\n\nclass A(Node):\n    pass\n");
    const cookie = [...bench.owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const { url } = bench.server;
    const pairs = {
      "GET a node": [`${url}/api/v3/objects/${node}`, `${bare.url}/node/${node}`],
      "GET who am I": [`${url}/api/v3/auth/`, `${bare.url}/account/${bench.owner.account.id}`],
      "GET a workflow": [`${url}/api/v3/graphs/${bench.graphId}`, `${bare.url}/graph/${bench.graphId}`],
    } as const;
    const results: Measurement[] = [];
    for (const [name, [our, other]] of Object.entries(pairs)) {
      await rate(our, cookie);
      await rate(other, "");
      const measured: { ours: number; bare: number }[] = [];
      for (let round = 0; round < rounds; round += 1)
        measured.push({ ours: await rate(our, cookie), bare: await rate(other, "") });
      const share = median(measured.map(({ ours, bare: limit }) => ours / limit));
      const perSecond = (which: "ours" | "bare") => `${median(measured.map((one) => one[which])).toFixed(0)}/s`;
      results.push({
        name,
        ours: perSecond("ours"),
        bare: `Fastify and one SELECT ${perSecond("bare")}`,
        ratio: share.toFixed(2),
        budget: `≥ ${budget}`,
        passes: share >= budget,
      });
    }
    return results;
  } finally {
    await bare.stop();
    await product.close();
  }
}

if (process.argv[2] === "bare" && process.argv[3]) await bareServer(process.argv[3]);
