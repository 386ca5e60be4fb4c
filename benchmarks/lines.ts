import { logsEvent } from "@miranda/contract/events.ts";
import type { LogEntry } from "@miranda/contract/schemas/processors.ts";
import { spawn } from "node:child_process";

import { findPython } from "../server/platform/python.ts";
import { script } from "../server/testing/workbench.ts";
import { type Measurement, median, sized } from "./measuring/measurement.ts";
import { openProduct, type Product } from "./measuring/product.ts";

const count = sized(1_000_000, { tiny: 1_000 });
const budget = 0.3;
const liveBudget = 100;

/** How fast a million printed lines reach the database and a connected client, and how soon a single line arrives. */
export async function lines(): Promise<Measurement[]> {
  const bare = await pipeRate();
  const product = await openProduct();
  try {
    const { bench } = product;
    const node = await bench.node(script(`for n in range(${count}): print('line', n)`));
    await bench.start();
    const began = performance.now();
    await bench.until("start", "-1", "RUNNING");
    await waitForLine(product, `line ${count - 1}`);
    const ours = (count / (performance.now() - began)) * 1_000;
    checkLines(product);
    const live = await liveDelay(product, node);
    return [
      {
        name: `${count} print() lines to the database and a connected client, none lost, in order`,
        ours: `${Math.round(ours)} lines/s`,
        bare: `${Math.round(bare)} lines/s (piped to a bare Node reader)`,
        ratio: `${(ours / bare).toFixed(2)} x`,
        budget: `>= ${budget} x`,
        passes: ours / bare >= budget,
      },
      {
        name: "a single line, from print() to the client",
        ours: `${live.toFixed(0)} ms`,
        bare: "0 ms",
        ratio: "-",
        budget: `<= ${liveBudget} ms`,
        passes: live <= liveBudget,
      },
    ];
  } finally {
    await product.close();
  }
}

async function pipeRate(): Promise<number> {
  const python = await findPython();
  if (!python) throw new Error("no Python");
  const began = performance.now();
  // -I ignores the environment, which may ask for unbuffered output and would slow the baseline down.
  const child = spawn(python.executable, ["-I", "-c", `for n in range(${count}): print('line', n)`]);
  let seen = 0;
  for await (const chunk of child.stdout as AsyncIterable<Buffer>)
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) seen += 1;
  if (seen !== count) throw new Error(`the pipe delivered ${seen} lines`);
  return (count / (performance.now() - began)) * 1_000;
}

async function waitForLine({ bench }: Product, text: string): Promise<void> {
  await bench.listener.wait<LogEntry[]>(logsEvent(bench.jobId), (entries) =>
    entries.some(({ message }) => message === text || message.endsWith(`\n${text}`)),
  );
}

function checkLines({ bench }: Product): void {
  const printed = bench.receivedLines().filter(({ text }) => text.startsWith("line "));
  const isWhole = printed.length === count && printed.every(({ text }, at) => text === `line ${at}`);
  if (!isWhole) throw new Error(`${printed.length} lines arrived, or they were out of order`);
}

/** Both ends share one machine's clock, so a line can carry the time it was printed at. */
async function liveDelay({ bench }: Product, node: number): Promise<number> {
  await bench.code(
    node,
    script("import time", "for _ in range(20):", "    print('now', time.time())", "    time.sleep(0.25)"),
  );
  const delays: number[] = [];
  bench.listener.socket.on(logsEvent(bench.jobId), (entries: LogEntry[]) => {
    for (const { message } of entries)
      for (const line of message.split("\n"))
        if (line.startsWith("now ")) delays.push(Date.now() - Number(line.slice(4)) * 1_000);
  });
  await bench.run();
  return median(delays);
}
