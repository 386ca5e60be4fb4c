import { createHash, type Hash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { parentPort } from "node:worker_threads";

import type { FromHashWorker, ToHashWorker } from "./hash-thread.ts";
import { safely } from "../../platform/errors/safely.ts";

// Follows files that are being written, and hashes what is there.

const piece = Buffer.allocUnsafe(1024 * 1024);
const files = new Map<number, { fd: number; hash: Hash; at: number }>();

function follow(id: number, path: string, bytes: number): Hash {
  const file = files.get(id) ?? { fd: openSync(path, "r"), hash: createHash("sha256"), at: 0 };
  files.set(id, file);
  while (file.at < bytes) {
    const read = readSync(file.fd, piece, 0, Math.min(piece.length, bytes - file.at), file.at);
    if (read === 0) throw new Error("The file is shorter than what was written.");
    file.hash.update(piece.subarray(0, read));
    file.at += read;
  }
  return file.hash;
}

function forget(id: number): void {
  const file = files.get(id);
  if (!file) return;
  files.delete(id);
  closeSync(file.fd);
}

function post(message: FromHashWorker): void {
  parentPort?.postMessage(message, []);
}

parentPort?.on(
  "message",
  safely(({ id, path, bytes, kind }: ToHashWorker) => {
    try {
      if (kind === "drop") return forget(id);
      const hash = follow(id, path, bytes);
      if (kind === "written") return;
      post({ id, sha256: hash.digest() });
      forget(id);
    } catch (error) {
      forget(id);
      post({ id, error: error instanceof Error ? error.message : String(error) });
    }
  }),
);
