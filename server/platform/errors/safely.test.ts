import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

import { reportFaultsTo, safely } from "./safely.ts";

const run = promisify(execFile);

/** A process with a listener of every kind, each of which throws. */
const program = (safely: string) => `
import { spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { createServer, connect } from "node:net";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { Worker } from "node:worker_threads";
import { reportFaultsTo, safely } from ${JSON.stringify(safely)};

const seen = [];
reportFaultsTo((error) => seen.push(error.message));
const fails = (what) => safely(() => { throw new Error(what); });

const child = spawn(process.execPath, ["-e", "console.log('Infinity')"]);
createInterface({ input: child.stdout }).on("line", safely((line) => JSON.parse(line)));
child.on("exit", fails("exit"));
const server = createServer(fails("connection")).listen(0, () => connect(server.address().port).on("connect", fails("connect")));
new PassThrough().on("data", fails("data")).write("x");
const stop = new AbortController();
stop.signal.addEventListener("abort", fails("abort"));
stop.abort();
new EventEmitter().on("x", fails("event")).emit("x");
new EventEmitter().on("x", safely(async () => { throw new Error("promise"); })).emit("x");
setTimeout(fails("timeout"), 1);
setImmediate(fails("immediate"));
queueMicrotask(fails("microtask"));
const every = setInterval(fails("interval"), 5);
const worker = new Worker("require('node:worker_threads').parentPort.postMessage(1)", { eval: true });
worker.on("message", fails("message"));

const wanted = ["exit", "connection", "connect", "data", "abort", "event", "promise", "timeout", "immediate", "microtask", "interval", "message"];
const all = () => wanted.every((one) => seen.includes(one)) && seen.some((one) => one.includes("JSON"));
for (let tried = 0; !all() && tried < 1000; tried += 1) await new Promise((resolve) => setTimeout(resolve, 10));
clearInterval(every);
console.log(all() ? "alive" : "missing, only " + seen);
process.exit();
`;

it("keeps a process whose listeners all throw", async () => {
  const folder = await mkdtemp(join(tmpdir(), "miranda-safely-"));
  try {
    const file = join(folder, "listeners.mjs");
    await writeFile(file, program(join(import.meta.dirname, "safely.ts")));
    const { stdout } = await run(process.execPath, [file]);
    expect(stdout.trim()).toBe("alive");
  } finally {
    await rm(folder, { recursive: true });
  }
});

it("reports what was thrown, and tells who handles it with what was given", () => {
  const reported: unknown[] = [];
  reportFaultsTo((error) => reported.push(error));
  const error = new Error("wrong line");
  const ended: unknown[] = [];
  const listener = safely(
    (_line: string) => {
      throw error;
    },
    (...given) => ended.push(given),
  );
  listener("Infinity");
  expect(reported).toEqual([error]);
  expect(ended).toEqual([[error, "Infinity"]]);
});

it("survives a report and an ending that throw as well", () => {
  const thrower = (): never => {
    throw new Error("again");
  };
  reportFaultsTo(thrower);
  expect(() => safely(thrower, thrower)()).not.toThrow();
});
