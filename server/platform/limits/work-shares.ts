import type { ErrorCode } from "@miranda/contract/errors.ts";

import { AppError } from "../errors/app-error.ts";
import { versionWork as limits } from "../../limits.ts";
import type { Caller } from "../http/caller.ts";

interface Waiting {
  accountId: string;
  start: () => void;
}

interface Shares {
  atOnce: number;
  perAccount: number;
  waitingPerAccount: number;
}

export type WorkShares = ReturnType<typeof createWorkShares>;

/**
 * Work that holds whole workflows in memory: a few at a time, shared between accounts. Without it one account could fill
 * the memory by comparing a large workflow a hundred times at once.
 */
export function createWorkShares(
  { atOnce, perAccount, waitingPerAccount }: Shares = limits,
  refusal: ErrorCode = "too_much_version_work",
) {
  const running = new Map<string, number>();
  let waiting: Waiting[] = [];

  const runningOf = (accountId: string): number => running.get(accountId) ?? 0;
  const runningInAll = (): number => running.values().reduce((sum, count) => sum + count, 0);

  /** Of those that may start, the first of the account that has the fewest running. */
  function nextWaiting(): Waiting | undefined {
    if (runningInAll() >= atOnce) return undefined;
    let next: Waiting | undefined;
    for (const one of waiting) {
      if (runningOf(one.accountId) >= perAccount) continue;
      if (!next || runningOf(one.accountId) < runningOf(next.accountId)) next = one;
    }
    return next;
  }

  function startWaiting(): void {
    for (let next = nextWaiting(); next; next = nextWaiting()) {
      const started = next;
      waiting = waiting.filter((one) => one !== started);
      running.set(started.accountId, runningOf(started.accountId) + 1);
      started.start();
    }
  }

  function end(accountId: string): void {
    const left = runningOf(accountId) - 1;
    if (left > 0) running.set(accountId, left);
    else running.delete(accountId);
    startWaiting();
  }

  /** Waits for a turn, then does the work. Refuses when too much of the same account waits. */
  return async function share<Result>(
    { accountId }: Pick<Caller, "accountId">,
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (waiting.filter((one) => one.accountId === accountId).length >= waitingPerAccount)
      throw new AppError(refusal, undefined, limits.retrySeconds);
    await new Promise<void>((start) => {
      waiting.push({ accountId, start });
      startWaiting();
    });
    try {
      return await work();
    } finally {
      end(accountId);
    }
  };
}
