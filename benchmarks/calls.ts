import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";

import { deploymentOf, releaseAsProposed } from "../server/testing/deployments/deployments.ts";
import { versionsOf } from "../server/testing/versions/versions.ts";
import { type Endpoint, startFastApi, startNodeRed } from "./measuring/bare-endpoints.ts";
import { startBarePython } from "./measuring/bare-python.ts";
import { type Measurement, median, size, sized } from "./measuring/measurement.ts";
import { openProduct, type Product } from "./measuring/product.ts";

// Calls of a deployed workflow with one node, beside the same sum in one Python process behind a bare server, in FastAPI and
// in a flow of Node-RED.

const double = `from miranda import *

class Double(Node):
    number = Field(3, control=Number())
    result = Transmitter()
    def run(self):
        self.result.send(self.number * 2)
`;
const atOnce = 4;
const first = sized(100, { quick: 50 });
const oneByOne = sized(500, { quick: 200 });
const togetherFor = sized(10_000, { quick: 4_000, tiny: 200 });
const coldTries = sized(5, { quick: 3 });
const budgets = { median: 5, p99: 15, perSecond: 600, cold: 1.2 };
const onePython = "one Python process";
const beside = { [onePython]: startBarePython, FastAPI: startFastApi, "Node-RED": startNodeRed };

interface Target {
  url: string;
  headers: Record<string, string>;
  /** Throws when the answer is wrong. */
  check: (text: string) => void;
}

function has42(text: string): void {
  if (!text.includes("42")) throw new Error(`A wrong answer: ${text.slice(0, 500)}`);
}

async function call(agent: Agent, { url, headers, check }: Target): Promise<void> {
  const sent = request(url, { agent, method: "POST", headers: { "content-type": "application/json", ...headers } });
  sent.end('{"number": 21}');
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString();
  if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${text}`);
  check(text);
}

async function oneAfterTheOther(target: Target): Promise<{ median: number; p99: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let at = 0; at < first; at += 1) await call(agent, target);
  const times: number[] = [];
  for (let at = 0; at < oneByOne; at += 1) {
    const began = performance.now();
    await call(agent, target);
    times.push(performance.now() - began);
  }
  agent.destroy();
  const sorted = times.toSorted((one, other) => one - other);
  return { median: median(times), p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN };
}

/** Calls per second of twice as many callers as there are sessions. */
async function together(target: Target): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const until = performance.now() + togetherFor;
  let count = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() < until) {
      await call(agent, target);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce * 2 }, caller));
  agent.destroy();
  return count / (togetherFor / 1_000);
}

async function deploy({ bench }: Product, settings: object): Promise<void> {
  await versionsOf(bench.owner, bench.graphId).made("First", { publish: true });
  const release = { ...(await releaseAsProposed(bench.owner, bench.graphId)), channel: "production" };
  await deploymentOf(bench.owner, bench.graphId).deployed({ name: "double", title: "Double", release, ...settings });
}

async function ended(product: Product): Promise<void> {
  const db = product.bench.server.db;
  for (;;) {
    const alive = await db.selectFrom("jobs").select("id").where("state", "not in", ["ERROR", "EXITED"]).execute();
    if (alive.length === 0) return;
    for (const { id } of alive) await product.bench.owner.put(`/api/v3/jobs/${id}/cancel`, {});
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** How long the first call takes without a session, beside the start of a session until it is ready. */
async function cold(product: Product, target: Target): Promise<{ call: number; start: number }> {
  const agent = new Agent();
  const calls: number[] = [];
  const starts: number[] = [];
  for (let at = 0; at < coldTries; at += 1) {
    await ended(product);
    const began = performance.now();
    await call(agent, target);
    calls.push(performance.now() - began);
    await ended(product);
    const started = performance.now();
    await product.bench.start();
    starts.push(performance.now() - started);
  }
  await ended(product);
  return { call: median(calls), start: median(starts) };
}

export async function calls(): Promise<Measurement[]> {
  const product = await openProduct({ MIRANDA_PROCESSORS: "16", MIRANDA_PROCESSORS_PER_ACCOUNT: "16" });
  const bare: Endpoint[] = [];
  try {
    await product.bench.node(double, "Double");
    await deploy(product, { at_once: atOnce, warm: 0, queue_max: 1_000 });
    const deployment = deploymentOf(product.bench.owner, product.bench.graphId);
    const ours: Target = {
      url: `${product.url}/api/v3/deployments/double/runs?wait=60`,
      headers: { authorization: `Bearer ${await deployment.token()}` },
      check: (text) => {
        const { state, result } = JSON.parse(text) as { state: string; result: { result?: number } };
        if (state !== "done" || result.result !== 42) throw new Error(`A wrong answer: ${text.slice(0, 500)}`);
      },
    };
    const fresh = await cold(product, ours);
    await deployment.changed({ warm: atOnce });
    const alone = await oneAfterTheOther(ours);
    const perSecond = await together(ours);
    const others: { name: string; median: number; rate: number }[] = [];
    const leftOut: string[] = [];
    for (const [name, start] of Object.entries(size === "full" ? beside : { [onePython]: startBarePython })) {
      const endpoint = await start();
      if (!endpoint) {
        leftOut.push(`${name} left out: it could not be installed`);
        continue;
      }
      bare.push(endpoint);
      const target = { url: endpoint.url, headers: {}, check: has42 };
      others.push({ name, median: (await oneAfterTheOther(target)).median, rate: await together(target) });
    }
    const least = others.find(({ name }) => name === onePython);
    if (!least) throw new Error("There is nothing to compare with.");
    return [
      {
        name: "warm call of a trivial workflow",
        ours: `median ${alone.median.toFixed(1)} ms, p99 ${alone.p99.toFixed(1)} ms`,
        bare: [...others.map(({ name, median }) => `${name} ${median.toFixed(1)} ms`), ...leftOut].join("; "),
        ratio: others.map((other) => `${(alone.median / other.median).toFixed(1)} x`).join(", "),
        budget: `median <= ${budgets.median} ms, p99 <= ${budgets.p99} ms`,
        passes: alone.median <= budgets.median && alone.p99 <= budgets.p99,
        times: alone.median / least.median,
      },
      {
        name: `warm calls of ${atOnce * 2} callers in ${atOnce} sessions`,
        ours: `${perSecond.toFixed(0)} calls/s`,
        bare: others.map(({ name, rate }) => `${name} ${rate.toFixed(0)} calls/s`).join("; "),
        ratio: others.map(({ rate }) => (perSecond / rate).toFixed(3)).join(", "),
        budget: `>= ${budgets.perSecond} calls/s`,
        passes: perSecond >= budgets.perSecond,
        times: least.rate / perSecond,
      },
      {
        name: "first call without a session",
        ours: `${fresh.call.toFixed(0)} ms`,
        bare: `start until READY ${fresh.start.toFixed(0)} ms`,
        ratio: `${(fresh.call / fresh.start).toFixed(2)} x`,
        budget: `<= ${budgets.cold} x`,
        passes: fresh.call / fresh.start <= budgets.cold,
        times: fresh.call / fresh.start,
      },
    ];
  } finally {
    for (const endpoint of bare) await endpoint.close();
    await product.close();
  }
}
