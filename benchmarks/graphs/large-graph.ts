import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Agent, get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import Fastify from "fastify";
import pg from "pg";

import { startBare } from "../measuring/bare-server.ts";
import { type Measurement, median, size, sized } from "../measuring/measurement.ts";
import { openProduct } from "../measuring/product.ts";
import type { Workbench } from "../../server/testing/workbench.ts";

// Measures how long it takes to open a large graph, and how long other people on the same server wait meanwhile: another
// process repeats a small request all the time. Compared with a bare Fastify server that selects and sends the same rows.

const nodeCount = sized(5_000, { tiny: 50 });
const edgeCount = sized(6_000, { tiny: 60 });
const rounds = sized(9, { quick: 5 });
const budgets = { whole: 1.3, wait: 0.5 } as const;
const longestWait = 100;

/** Nodes with code, attributes and tags, as in people's graphs. */
function sampleGraph() {
  const field = (index: number) => ({
    name: `field_${index}`,
    kind: "float",
    direction: "RECEIVER_FIELD",
    value: index,
    control: { type: "slider", min: 0, max: 100 },
  });
  const nodes = Array.from({ length: nodeCount }, (_, index) => ({
    key: index + 1,
    class: "Code_block",
    name: `Step ${index}`,
    description: "Receives a table, changes it, and sends it on.",
    position: { x: (index % 100) * 340, y: Math.floor(index / 100) * 220 },
    source_code: "class Step(Node):\n    pass\n".repeat(6),
    tags: { tags: ["night", "slow"] },
    api: {
      attributes: [
        { name: "input", kind: "table", direction: "RECEIVER" },
        { name: "output", kind: "table", direction: "TRANSMITTER" },
        ...Array.from({ length: 1 }, (_field, at) => field(at)),
      ],
    },
  }));
  const edges = Array.from({ length: edgeCount }, (_, index) => {
    const from = index % nodeCount;
    const to = (from + (index < nodeCount ? 1 : 101)) % nodeCount;
    return {
      source_wob_key: from + 1,
      source_transmitter_key: "output",
      destination_wob_key: to + 1,
      destination_receiver_key: "input",
    };
  });
  return { nodes, edges };
}

async function bareServer(databaseUrl: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  const app = Fastify();
  app.get<{ Params: { id: string } }>("/graph/:id", async ({ params }) => {
    const { rows: nodes } = await pool.query<object>("select * from nodes where graph_id = $1", [params.id]);
    const { rows: edges } = await pool.query<object>("select * from edges where graph_id = $1", [params.id]);
    return { nodes, edges };
  });
  app.get<{ Params: { id: string } }>("/small/:id", async ({ params }) => {
    const { rows } = await pool.query<object>("select * from graphs where id = $1", [params.id]);
    return rows[0];
  });
  process.stdout.write(`Bare is at ${await app.listen({ host: "127.0.0.1", port: 0 })}\n`);
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Sends a GET request, and returns how long the response took and how large it was. */
function timeRequest(url: string, cookie: string): Promise<{ time: number; bytes: number }> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { cookie } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`));
      let bytes = 0;
      response.on("data", (chunk: Buffer) => (bytes += chunk.length));
      response.once("end", () => resolve({ time: performance.now() - began, bytes }));
    }).once("error", reject);
  });
}

interface SmallRequest {
  url: string;
  cookie: string;
}

/** Another person, in a separate process: repeats a request until "stop", then reports the longest response time. */
async function otherPerson(): Promise<void> {
  const current: { request?: SmallRequest | undefined } = {};
  process.on("message", (message: SmallRequest | "stop") => {
    current.request = message === "stop" ? undefined : message;
  });
  for (;;) {
    let worst = 0;
    for (let count = 0; current.request; count += 1) {
      const { time } = await timeRequest(current.request.url, current.request.cookie);
      if (count === 0) process.send?.("begun");
      worst = Math.max(worst, time);
      await sleep(1);
    }
    if (worst > 0) process.send?.(worst);
    await sleep(1);
  }
}

interface Opening {
  /** The time until the last byte of the graph. */
  whole: number;
  /** The longest time that another person waited for a small request meanwhile. */
  wait: number;
  bytes: number;
}

/** Does the work, and returns its result and the longest time that the other person waited meanwhile. */
async function meanwhile<Result>(
  other: ChildProcess,
  small: SmallRequest,
  work: () => Promise<Result>,
): Promise<[Result, number]> {
  const begun = once(other, "message");
  other.send(small);
  await begun;
  const result = await work();
  const reported = once(other, "message") as Promise<[number]>;
  other.send("stop");
  const [wait] = await reported;
  return [result, wait];
}

async function open(other: ChildProcess, graph: string, small: string, cookie: string): Promise<Opening> {
  const [{ time, bytes }, wait] = await meanwhile(other, { url: small, cookie }, () => timeRequest(graph, cookie));
  return { whole: time, wait, bytes };
}

/** Pastes, deletes and restores all nodes, and measures how long the other person waits at worst. */
async function changeMany(other: ChildProcess, { owner, graphId, server }: Workbench, cookie: string) {
  const graph = `/api/v3/graphs/${graphId}`;
  const sample = sampleGraph();
  const waits: Record<"paste" | "delete" | "restore", number[]> = { paste: [], delete: [], restore: [] };
  const change = async <Answer>(name: keyof typeof waits, body: object): Promise<Answer> => {
    const small = { url: `${server.url}${graph}`, cookie };
    const [answer, wait] = await meanwhile(other, small, () => owner.postJson(`${graph}/${name}`, body));
    if (answer.status !== 200) throw new Error(answer.text);
    waits[name].push(wait);
    return answer.json<Answer>();
  };
  for (let round = -2; round < rounds; round += 1) {
    const { ids } = await change<{ ids: Record<string, number> }>("paste", sample);
    const metadata_ids = Object.values(ids);
    await change("delete", { metadata_ids });
    await change("restore", { metadata_ids });
    await owner.postJson(`${graph}/delete`, { metadata_ids });
    // The first two rounds only warm up.
    if (round < 0) for (const times of Object.values(waits)) times.length = 0;
  }
  return Object.entries(waits).map(([name, times]): Measurement => {
    const worst = Math.max(...times);
    return {
      name: `${name} ${nodeCount.toLocaleString()} nodes: longest wait of another person's small request`,
      ours: `median ${median(times).toFixed(0)} ms, worst ${worst.toFixed(0)} ms`,
      bare: "",
      ratio: "",
      budget: `≤ ${longestWait} ms`,
      passes: median(times) <= longestWait,
    };
  });
}

export async function largeGraph(): Promise<Measurement[]> {
  const product = await openProduct();
  const { bench, databaseUrl } = product;
  const bare = await startBare(import.meta.filename, databaseUrl);
  const other = fork(import.meta.filename, ["other"]);
  try {
    const cookie = [...bench.owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const changes = size === "quick" ? [] : await changeMany(other, bench, cookie);
    const pasted = await bench.owner.postJson(`/api/v3/graphs/${bench.graphId}/paste`, sampleGraph());
    if (pasted.status !== 200) throw new Error(pasted.text);
    const ours = `${bench.server.url}/api/v3/graphs/${bench.graphId}`;
    const measured: { ours: Opening; bare: Opening }[] = [];
    for (let round = -2; round < rounds; round += 1) {
      const both = {
        ours: await open(other, `${ours}/graph?include_updates=true`, ours, cookie),
        bare: await open(other, `${bare.url}/graph/${bench.graphId}`, `${bare.url}/small/${bench.graphId}`, ""),
      };
      // The first two rounds only warm up.
      if (round >= 0) measured.push(both);
    }
    const medianOf = (which: "ours" | "bare", what: keyof Opening) => median(measured.map((one) => one[which][what]));
    const measurement = (name: string, what: "whole" | "wait"): Measurement => {
      const ratio = medianOf("ours", what) / medianOf("bare", what);
      const megabytes = (which: "ours" | "bare") => `${(medianOf(which, "bytes") / 1_000_000).toFixed(1)} MB`;
      const words = (which: "ours" | "bare") => `${medianOf(which, what).toFixed(0)} ms (${megabytes(which)})`;
      return {
        name,
        ours: words("ours"),
        bare: `Fastify sending the rows ${words("bare")}`,
        ratio: ratio.toFixed(2),
        budget: `≤ ${budgets[what]}`,
        passes: ratio <= budgets[what],
        // The longest of a few moments says little.
        ...(what === "whole" && { times: ratio }),
      };
    };
    return [
      measurement("GET a graph of 5,000 nodes", "whole"),
      measurement("longest wait of another person's small request meanwhile", "wait"),
      ...changes,
    ];
  } finally {
    agent.destroy();
    other.kill();
    await bare.stop();
    await product.close();
  }
}

if (process.argv[2] === "bare") await bareServer(process.argv[3] ?? "");
if (process.argv[2] === "other") await otherPerson();
