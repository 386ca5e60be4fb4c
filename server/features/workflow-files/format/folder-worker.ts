import { parentPort, workerData } from "node:worker_threads";

import { AppError } from "../../../platform/errors/app-error.ts";
import { messageOf } from "../../../platform/errors/error-details.ts";
import type { FromFolderWorker, FolderWorkerData } from "./read-in-worker.ts";
import { readFolder } from "./read-folder.ts";

// The thread in which a large folder is read.

const { files, sdk }: FolderWorkerData = workerData;

function answer(): FromFolderWorker {
  try {
    return {
      kind: "read",
      folder: readFolder(new Map(files.entries().map(([path, data]) => [path, Buffer.from(data)])), sdk),
    };
  } catch (error) {
    if (error instanceof AppError) return { kind: "refused", code: error.code, words: error.message };
    return { kind: "failed", message: messageOf(error) };
  }
}

parentPort?.postMessage(answer(), []);
