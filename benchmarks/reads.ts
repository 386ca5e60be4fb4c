import { Agent, get } from "node:http";

import Fastify from "fastify";
import pg from "pg";

import { startBare } from "./measuring/bare-server.ts";
import { type Measurement, median, sized } from "./measuring/measurement.ts";
import { openProduct } from "./measuring/product.ts";

// Compares the most frequent reads with a bare Fastify server that answers with one SELECT by key from the same database.
// The servers run in separate processes and take turns with the same client. Compares their responses per second.

const connections = 16;
const duration = sized(1_500, { quick: 600, tiny: 50 });
const rounds = sized(5);
const budget = 0.6;

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

function request(url: string, agent: Agent, cookie: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { cookie } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`));
      response.resume();
      response.once("end", resolve);
    }).once("error", reject);
  });
}

/** Responses per second. */
async function rate(url: string, cookie: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const began = performance.now();
  let responses = 0;
  const repeatRequests = async () => {
    while (performance.now() - began < duration) {
      await request(url, agent, cookie);
      responses += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, repeatRequests));
  agent.destroy();
  return (responses / (performance.now() - began)) * 1_000;
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
        bare: `Fastify with one SELECT ${perSecond("bare")}`,
        ratio: share.toFixed(2),
        budget: `≥ ${budget}`,
        passes: share >= budget,
        times: 1 / share,
      });
    }
    return results;
  } finally {
    await bare.stop();
    await product.close();
  }
}

if (process.argv[2] === "bare" && process.argv[3]) await bareServer(process.argv[3]);
