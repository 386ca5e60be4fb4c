import { imports as limits } from "../../../limits.ts";
import { availableParallelism } from "node:os";

import { AppError } from "../../../platform/errors/app-error.ts";

export type ImportQueue = ReturnType<typeof createImportQueue>;

/** One file that is being sent, waits, or is imported. It counts until it is done or its sender disconnects. */
export interface ImportPlace {
  /** Waits in the queue, then does the work. */
  run<Result>(bytes: number, work: () => Promise<Result>): Promise<Result>;
  /** The sender disconnected: drop the import unless it runs. */
  leave(): void;
}

interface Entry {
  accountId: string;
  bytes: number;
  state: "sending" | "waiting" | "running" | "gone";
  start?: () => void;
  giveUp?: (reason: Error) => void;
}

interface Threads {
  atOnce: number;
  largeAtOnce: number;
}

/** At least two threads, so that a small file need not wait for a large one. Few, because each may need much memory. */
function threadsOf(cores: number): Threads {
  const atOnce = Math.min(4, Math.max(2, cores - 1));
  return { atOnce, largeAtOnce: Math.floor(atOnce / 2) };
}

const gone = () => new AppError("bad_request", "The sender of this file has gone.");

export const isLarge = (bytes: number): boolean => bytes > limits.largeFrom;

/**
 * Shares imports between accounts: one per account at a time, the account that waited longest first, and never so many
 * large files that small ones must wait.
 */
export function createImportQueue({ atOnce, largeAtOnce }: Threads = threadsOf(availableParallelism())) {
  const entries = new Set<Entry>();
  const lastTurn = new Map<string, number>();
  let turns = 0;

  const inState = (state: Entry["state"]) => [...entries].filter((entry) => entry.state === state);
  const bytesOf = (some: Entry[]) => some.reduce((sum, { bytes }) => sum + bytes, 0);

  function refuseTooMuch(accountId: string, bytes: number): void {
    const own = [...entries].filter((entry) => entry.accountId === accountId);
    const isOver = bytesOf(own) + bytes > limits.bytesPerAccount;
    if (own.length >= limits.openPerAccount || (isOver && own.length > 0))
      throw new AppError("too_many_imports", undefined, limits.retrySeconds);
    const room = limits.bytesInAll - (isLarge(bytes) ? limits.bytesKeptForSmall : 0);
    if (bytesOf([...entries]) + bytes > room) throw new AppError("imports_busy", undefined, limits.retrySeconds);
  }

  /** Of the imports that may start, the one whose account last had one the longest ago. */
  function nextEntry(): Entry | undefined {
    const running = inState("running");
    if (running.length >= atOnce) return undefined;
    const busy = new Set(running.map(({ accountId }) => accountId));
    const largeRunning = running.filter(({ bytes }) => isLarge(bytes)).length;
    let next: Entry | undefined;
    for (const entry of inState("waiting")) {
      if (busy.has(entry.accountId) || (isLarge(entry.bytes) && largeRunning >= largeAtOnce)) continue;
      if (!next || turnOf(entry) < turnOf(next)) next = entry;
    }
    return next;
  }

  const turnOf = ({ accountId }: Entry): number => lastTurn.get(accountId) ?? 0;

  function startWaiting(): void {
    for (let entry = nextEntry(); entry; entry = nextEntry()) {
      entry.state = "running";
      lastTurn.set(entry.accountId, ++turns);
      entry.start?.();
    }
  }

  function remove(entry: Entry): void {
    entry.state = "gone";
    entries.delete(entry);
    if (![...entries].some(({ accountId }) => accountId === entry.accountId)) lastTurn.delete(entry.accountId);
    startWaiting();
  }

  return {
    /** Call it before reading a file into memory. `bytes` is the announced size. */
    open(accountId: string, bytes: number): ImportPlace {
      refuseTooMuch(accountId, bytes);
      const entry: Entry = { accountId, bytes, state: "sending" };
      entries.add(entry);
      return {
        async run(size, work) {
          if (entry.state !== "sending") throw gone();
          entry.bytes = size;
          entry.state = "waiting";
          const turn = new Promise<void>((start, giveUp) => Object.assign(entry, { start, giveUp }));
          startWaiting();
          await turn;
          try {
            return await work();
          } finally {
            remove(entry);
          }
        },
        leave() {
          // A running import keeps its place until it is done: it still uses memory and a thread.
          if (entry.state === "running" || entry.state === "gone") return;
          remove(entry);
          entry.giveUp?.(gone());
        },
      };
    },
  };
}
