import { Worker } from "node:worker_threads";

import { safely } from "../../platform/errors/safely.ts";

/** So many bytes of a file are written, all of them are, or the file is not wanted any more. */
export interface ToHashWorker {
  kind: "written" | "end" | "drop";
  id: number;
  path: string;
  bytes: number;
}

export interface FromHashWorker {
  id: number;
  sha256?: Uint8Array;
  error?: string;
}

interface Waiting {
  resolve: (sha256: Buffer) => void;
  reject: (error: Error) => void;
}

/** Hashes files while they are written, in a thread of its own: other requests do not wait for it. */
export function createHashThread() {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let ids = 0;

  function start(): Worker {
    const made = new Worker(new URL("./hash-worker.ts", import.meta.url), { execArgv: [] });
    // The process may end while nothing is hashed.
    made.unref();
    made.on(
      "message",
      safely(({ id, sha256, error }: FromHashWorker) => {
        const asked = waiting.get(id);
        waiting.delete(id);
        if (sha256) asked?.resolve(Buffer.from(sha256));
        else asked?.reject(new Error(`The thread that hashes failed: ${error}`));
      }),
    );
    const giveUp = (error: Error) => {
      if (worker === made) worker = undefined;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    };
    made.on("error", safely(giveUp));
    made.on(
      "exit",
      safely(() => giveUp(new Error("The thread that hashes ended."))),
    );
    return made;
  }

  return {
    /** Follows one file. */
    follow(path: string) {
      const id = (ids += 1);
      worker ??= start();
      const own = worker;
      const post = (kind: ToHashWorker["kind"], bytes = 0) =>
        own.postMessage({ kind, id, path, bytes } satisfies ToHashWorker, []);
      return {
        written: (bytes: number) => post("written", bytes),
        drop: () => post("drop"),
        /** The hash of the whole file. */
        end: (bytes: number): Promise<Buffer> => {
          if (own !== worker) throw new Error("The thread that hashes ended.");
          const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
          waiting.set(id, { resolve, reject });
          post("end", bytes);
          return promise;
        },
      };
    },

    async close(): Promise<void> {
      await worker?.terminate();
    },
  };
}
