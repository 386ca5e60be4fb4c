import { parentPort, workerData } from "node:worker_threads";
import { GraphmlError } from "../parse/graphml-error.ts";
import { toRows } from "../../graph-import-rows.ts";
import { parseGraphml } from "../import.ts";
import type { FromImport, ImportSettings, ToImport } from "./messages.ts";

const port = parentPort;
if (!port) throw new Error("This file runs as a worker thread.");

function ask(message: FromImport): Promise<ToImport> {
  return new Promise((resolve) => {
    port!.once("message", resolve);
    port!.postMessage(message, []);
  });
}

async function* chunks(): AsyncGenerator<Uint8Array | string> {
  for (;;) {
    const answer = await ask({ kind: "more" });
    if (answer.kind !== "chunk") return;
    yield answer.bytes;
  }
}

async function run({ limits, top }: ImportSettings): Promise<FromImport> {
  const { report, ...rows } = toRows(await parseGraphml(chunks(), limits), top);
  for (const table of ["nodes", "edges"] as const) {
    for (const json of rows[table]) await ask({ kind: "rows", table, json });
  }
  return { kind: "done", report };
}

try {
  const settings: ImportSettings = workerData;
  port.postMessage(await run(settings), []);
} catch (error) {
  const message: FromImport =
    error instanceof GraphmlError
      ? { kind: "refused", reason: error.reason, place: error.place }
      : { kind: "failed", message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  port.postMessage(message, []);
}
