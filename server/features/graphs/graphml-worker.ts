import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { GraphmlError } from "@miranda/contract/graph/graphml-error.ts";
import type { ImportedNode } from "@miranda/contract/graph/graphml-types.ts";
import { parseGraphml } from "./graphml-import.ts";
import type { FromImport, ImportSettings, ToImport } from "./graphml-messages.ts";

// Small enough that the server's thread unpacks one message in a few milliseconds.
const nodesAtOnce = 200;
const lettersAtOnce = 200_000;
const edgesAtOnce = 2_000;

const port = parentPort;
if (!port) throw new Error("This file runs as a worker thread.");

async function ask(message: FromImport): Promise<ToImport> {
  const answer = once(port!, "message") as Promise<[ToImport]>;
  port!.postMessage(message, []);
  return (await answer)[0];
}

async function* chunks(): AsyncGenerator<Uint8Array | string> {
  for (;;) {
    const answer = await ask({ kind: "more" });
    if (answer.kind !== "chunk") return;
    yield answer.bytes;
  }
}

function* batches(nodes: ImportedNode[]): Generator<ImportedNode[]> {
  let batch: ImportedNode[] = [];
  let letters = 0;
  for (const node of nodes) {
    batch.push(node);
    letters += lettersOf(node);
    if (batch.length < nodesAtOnce && letters < lettersAtOnce) continue;
    yield batch;
    batch = [];
    letters = 0;
  }
  if (batch.length > 0) yield batch;
}

function lettersOf(node: ImportedNode): number {
  const values = node.attributes.reduce((sum, { name, value }) => sum + name.length + String(value).length, 0);
  return values + node.name.length + node.description.length + (node.source_code?.length ?? 0);
}

async function run({ limits }: ImportSettings): Promise<FromImport> {
  const { nodes, edges, ...rest } = await parseGraphml(chunks(), limits);
  for (const batch of batches(nodes)) await ask({ kind: "nodes", nodes: batch });
  for (let at = 0; at < edges.length; at += edgesAtOnce) {
    await ask({ kind: "edges", edges: edges.slice(at, at + edgesAtOnce) });
  }
  return { kind: "done", rest };
}

try {
  port.postMessage(await run(workerData as ImportSettings), []);
} catch (error) {
  const message: FromImport =
    error instanceof GraphmlError
      ? { kind: "refused", reason: error.reason, place: error.place }
      : { kind: "failed", message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  port.postMessage(message, []);
}
