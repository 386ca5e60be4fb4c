import { on } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { assertNever } from "@miranda/contract/assert-never.ts";
import { GraphmlError } from "../parse/graphml-error.ts";
import type { GraphmlLimits } from "../types.ts";
import { imports } from "../../../../limits.ts";
import type { ImportedRows } from "../../graph-import-rows.ts";
import type { FromImport, ImportSettings, ToImport } from "./messages.ts";
import { ignore, safely } from "../../../../platform/errors/safely.ts";

export interface ImportOptions {
  limits?: Partial<GraphmlLimits>;
  /** How far down the imported nodes are moved. */
  top?: number;
  /** From the thread's start to its last message. A stalled stream counts too. */
  timeLimit?: number;
  memoryLimitMb?: number;
  signal?: AbortSignal;
}

type Source = Uint8Array | AsyncIterable<Uint8Array | string>;

const sliceLength = 256 * 1024;

/**
 * Imports a file in its own thread, so that a large one does not block the server. The import queue limits the number
 * of threads.
 */
export async function importInWorker(source: Source, options: ImportOptions = {}): Promise<ImportedRows> {
  const { limits = {}, top = 0, timeLimit = 120_000, memoryLimitMb = imports.largeMemoryMb, signal } = options;
  const workerData: ImportSettings = { limits, top };
  const worker = new Worker(new URL("./graphml-worker.ts", import.meta.url), {
    workerData,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb },
  });
  // It may fail while nobody asks it anything: without a listener that would end the server.
  worker.on("error", ignore);
  const timeout = AbortSignal.timeout(timeLimit);
  try {
    return await converse(worker, slices(source), signal ? AbortSignal.any([timeout, signal]) : timeout);
  } catch (error) {
    if (timeout.aborted) throw new GraphmlError("This file takes too long to import.");
    if (isOutOfMemory(error)) throw new GraphmlError("This file needs more memory than an import may use.");
    throw error;
  } finally {
    await worker.terminate();
  }
}

async function converse(
  worker: Worker,
  chunks: AsyncIterator<Uint8Array | string>,
  signal: AbortSignal,
): Promise<ImportedRows> {
  const rows: Pick<ImportedRows, "nodes" | "edges"> = { nodes: [], edges: [] };
  for await (const message of messagesOf(worker, signal)) {
    switch (message.kind) {
      case "more":
        await sendChunk(worker, chunks, signal);
        break;
      case "rows":
        rows[message.table].push(message.json);
        await sendNext(worker);
        break;
      case "done":
        return { ...rows, report: message.report };
      case "refused":
        throw new GraphmlError(message.reason, message.place);
      case "failed":
        throw new Error(`The import thread failed: ${message.message}`);
      default:
        return assertNever(message);
    }
  }
  throw new Error("The import thread ended without an answer.");
}

async function* messagesOf(worker: Worker, signal: AbortSignal): AsyncGenerator<FromImport> {
  const events: AsyncIterable<FromImport[]> = on(worker, "message", { signal, close: ["exit"] });
  for await (const messages of events) yield* messages;
}

async function sendChunk(
  worker: Worker,
  chunks: AsyncIterator<Uint8Array | string>,
  signal: AbortSignal,
): Promise<void> {
  const { value, done } = await orAborted(chunks.next(), signal);
  if (done) post(worker, { kind: "end" });
  else if (typeof value === "string") post(worker, { kind: "chunk", bytes: value });
  else postBytes(worker, value);
}

/** Unpack the next batch later, so that other requests come first. */
async function sendNext(worker: Worker): Promise<void> {
  await turn();
  post(worker, { kind: "next" });
}

function post(worker: Worker, message: ToImport): void {
  worker.postMessage(message, []);
}

// Copied first: posting a view would send or transfer the whole buffer.
function postBytes(worker: Worker, bytes: Uint8Array): void {
  const copy = new Uint8Array(bytes);
  worker.postMessage({ kind: "chunk", bytes: copy } satisfies ToImport, [copy.buffer]);
}

async function* slices(source: Source): AsyncGenerator<Uint8Array | string> {
  if (!(source instanceof Uint8Array)) {
    for await (const chunk of source) yield* chunk instanceof Uint8Array ? slices(chunk) : [chunk];
    return;
  }
  for (let at = 0; at < source.length; at += sliceLength) yield source.subarray(at, at + sliceLength);
}

async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = safely(() => reject(signal.reason));
  signal.addEventListener("abort", stop);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}
