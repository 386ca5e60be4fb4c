import { once } from "node:events";
import { Worker } from "node:worker_threads";

import { AppError } from "../../platform/errors/app-error.ts";
import { ignore } from "../../platform/errors/safely.ts";

/** What the thread is started with. */
export interface FormatRequest {
  code: string;
  indent: number | "tab";
}

interface Formatted {
  text?: string;
  error?: string;
}

const timeLimit = 10_000;
let last: Promise<unknown> = Promise.resolve();

const waiting = new Map<string, number>();
const mostWaiting = 3;

/**
 * Formats code with Ruff, in a thread per call and one at a time: the formatter takes 60 MB. One account may have only
 * a few in the queue, so that others do not wait behind them.
 */
export async function formatCode(code: string, indent: number | "tab", accountId: string): Promise<string> {
  const before = waiting.get(accountId) ?? 0;
  if (before >= mostWaiting) throw new AppError("too_many_attempts", "Wait until your other code is formatted.");
  waiting.set(accountId, before + 1);
  const mine = last.then(() => run(code, indent));
  last = mine.catch(() => undefined);
  try {
    return await mine;
  } finally {
    const left = (waiting.get(accountId) ?? 1) - 1;
    if (left > 0) waiting.set(accountId, left);
    else waiting.delete(accountId);
  }
}

async function run(code: string, indent: number | "tab"): Promise<string> {
  const worker = new Worker(new URL("./format-worker.ts", import.meta.url), {
    workerData: { code, indent } satisfies FormatRequest,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  // It may fail while it is being ended: without a listener that would end the server.
  worker.on("error", ignore);
  try {
    const [formatted]: Formatted[] = await once(worker, "message", { signal: AbortSignal.timeout(timeLimit) });
    if (formatted?.text !== undefined) return formatted.text;
    throw new AppError("format_wrong_code", wordsFor(formatted?.error ?? "", code));
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("format_failed");
  } finally {
    await worker.terminate();
  }
}

/** Ruff counts bytes; people count lines. */
function wordsFor(error: string, code: string): string {
  const [, what = error, at] = /^(.*?) at byte range (\d+)\.\.\d+/.exec(error) ?? [];
  const line = at === undefined ? "" : ` (line ${lineAt(code, Number(at))})`;
  return `The code cannot be formatted while it is wrong: ${what}${line}`;
}

function lineAt(code: string, byte: number): number {
  return Buffer.from(code).subarray(0, byte).toString().split("\n").length;
}
