import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import Fastify from "fastify";

import { type Measurement, median, sized } from "./measuring/measurement.ts";

// Measures `npm start` without npm, on a data folder that exists, until the first page answers, and the memory of the idle
// server with its database. Beside it a Fastify server that answers one page.

const rounds = sized(7, { quick: 3 });
const settling = sized(15_000, { quick: 5_000, tiny: 100 });
const budgets = { milliseconds: 1_200, megabytes: 200 };
const root = resolve(import.meta.dirname, "..");

interface Running {
  child: ChildProcess;
  /** From the start until the page was answered, in milliseconds. */
  after: number;
  stop(): Promise<void>;
}

async function started(command: string, args: string[], env: Record<string, string>, page: string): Promise<Running> {
  const began = performance.now();
  const child = spawn(command, args, {
    cwd: root,
    // As npm does: with our own Node.
    env: { ...process.env, PATH: `${join(root, "node_modules", ".bin")}:${process.env["PATH"]}`, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const part of child.stdout) {
    const url = /is at (http\S+)/.exec(String(part))?.[1];
    if (!url) continue;
    child.stdout.resume();
    const answer = await fetch(url.replace(/\/$/, "") + page);
    await answer.text();
    const after = performance.now() - began;
    const stop = async () => {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    };
    if (answer.ok) return { child, after, stop };
    await stop();
    throw new Error(`${page}: ${answer.status}`);
  }
  throw new Error("The server did not start.");
}

/** What these processes have in memory, in megabytes. Memory that several share is counted once. */
async function megabytes(pids: Iterable<number>): Promise<number> {
  let kilobytes = 0;
  for (const pid of pids) {
    const memory = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "");
    kilobytes += Number(/^Pss:\s+(\d+)/m.exec(memory)?.[1] ?? 0);
  }
  return kilobytes / 1_000;
}

/** A process and all that descend from it. */
async function familyOf(pid: number): Promise<Set<number>> {
  const parents = new Map<number, number>();
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    parents.set(Number(name), Number(stat.split(") ")[1]?.split(" ")[1]));
  }
  const family = new Set([pid]);
  for (let known = 0; known < family.size;) {
    known = family.size;
    for (const [child, parent] of parents) if (family.has(parent)) family.add(child);
  }
  return family;
}

async function bareServer(): Promise<void> {
  const app = Fastify();
  app.get("/", () => "Hello");
  process.stdout.write(`Bare is at ${await app.listen({ host: "127.0.0.1", port: 0 })}\n`);
}

export async function serverStart(): Promise<Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), "miranda-start-"));
  const environment = { MIRANDA_DATA: folder, PORT: "0", DATABASE_URL: "", LOG_LEVEL: "error", MIRANDA_DEV: "false" };
  const ours: number[] = [];
  const bare: number[] = [];
  try {
    // The first start builds the client and makes the database.
    await (await started("sh", ["server/start.sh"], environment, "/login")).stop();
    for (let round = 0; round < rounds; round += 1) {
      const product = await started("sh", ["server/start.sh"], environment, "/login");
      ours.push(product.after);
      await product.stop();
      const fastify = await started(process.execPath, [import.meta.filename, "bare"], {}, "/");
      bare.push(fastify.after);
      await fastify.stop();
    }
    const product = await started("sh", ["server/start.sh"], environment, "/login");
    const fastify = await started(process.execPath, [import.meta.filename, "bare"], {}, "/");
    await sleep(settling);
    const idle = await megabytes(await familyOf(product.child.pid ?? 0));
    const least = await megabytes([fastify.child.pid ?? 0]);
    await product.stop();
    await fastify.stop();
    const [start, bareStart] = [median(ours), median(bare)];
    return [
      {
        name: "start until the first page answers",
        ours: `${start.toFixed(0)} ms`,
        bare: `Fastify ${bareStart.toFixed(0)} ms`,
        ratio: (start / bareStart).toFixed(2),
        budget: `<= ${budgets.milliseconds} ms`,
        passes: start <= budgets.milliseconds,
        times: start / bareStart,
      },
      {
        name: "idle server with its database",
        ours: `${idle.toFixed(0)} MB`,
        bare: `Fastify ${least.toFixed(0)} MB`,
        ratio: (idle / least).toFixed(2),
        budget: `<= ${budgets.megabytes} MB`,
        passes: idle <= budgets.megabytes,
        times: idle / least,
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (process.argv[2] === "bare") await bareServer();
