import { assertNever } from "@miranda/contract/assert-never.ts";
import type { ErrorCode } from "@miranda/contract/errors.ts";
import { once } from "node:events";
import { Worker } from "node:worker_threads";

import { imports } from "../../../limits.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import { systemCodeOf } from "../../../platform/errors/error-details.ts";
import { ignore } from "../../../platform/errors/safely.ts";
import { type ReadFolder, readFolder } from "./read-folder.ts";
import { tomlName } from "./workflow-toml.ts";

export interface FolderWorkerData {
  files: ReadonlyMap<string, Uint8Array>;
  sdk: string;
}

export type FromFolderWorker =
  | { kind: "read"; folder: ReadFolder }
  | { kind: "refused"; code: ErrorCode; words: string }
  | { kind: "failed"; message: string };

/** Reading less than this takes no longer than starting a thread, also when it was written to take long. */
const largeFrom = 512 * 1024;
const largeTomlFrom = 64 * 1024;
const patience = 120_000;

/** Reads a large folder in a thread of its own, so that others are served meanwhile. */
export async function readFolderAside(files: ReadonlyMap<string, Buffer>, sdk: string): Promise<ReadFolder> {
  const bytes = files.values().reduce((sum, { length }) => sum + length, 0);
  const tomlBytes = files.get(tomlName)?.length ?? 0;
  if (bytes < largeFrom && tomlBytes < largeTomlFrom) return readFolder(files, sdk);
  const workerData: FolderWorkerData = { files, sdk };
  const worker = new Worker(new URL("./folder-worker.ts", import.meta.url), {
    workerData,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: imports.largeMemoryMb },
  });
  // It may fail while it is being ended: without a listener that would end the server.
  worker.on("error", ignore);
  try {
    const [message]: FromFolderWorker[] = await once(worker, "message", { signal: AbortSignal.timeout(patience) });
    return folderIn(message);
  } catch (error) {
    const isTooMuch = systemCodeOf(error) === "ERR_WORKER_OUT_OF_MEMORY" || systemCodeOf(error) === "ABORT_ERR";
    if (isTooMuch) throw new AppError("workflow_files_too_large");
    throw error;
  } finally {
    await worker.terminate();
  }
}

function folderIn(message: FromFolderWorker | undefined): ReadFolder {
  if (!message) throw new Error("The thread that reads folders ended without an answer.");
  switch (message.kind) {
    case "read": {
      // A buffer comes back as a plain array of bytes.
      const uploads = message.folder.uploads.entries().map(([hash, data]) => [hash, Buffer.from(data)] as const);
      return { ...message.folder, uploads: new Map(uploads) };
    }
    case "refused":
      throw new AppError(message.code, message.words);
    case "failed":
      throw new Error(`The thread that reads folders failed: ${message.message}`);
    default:
      return assertNever(message);
  }
}
