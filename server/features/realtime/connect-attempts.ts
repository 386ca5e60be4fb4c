import type { ClientSocket } from "./rooms.ts";

const attemptsMost = 5;

/**
 * A connection may ask to be let in a few times, one after the other. Socket.IO starts an attempt, and we a lookup, for
 * each packet that asks: one frame can hold a hundred thousand of them.
 */
export function createConnectAttempts() {
  const attempts = new WeakMap<ClientSocket["conn"], { count: number; isBusy: boolean }>();

  /** Counts an attempt. Returns what ends it, or undefined when there were too many: then the connection is closed. */
  return function begin({ conn }: ClientSocket): (() => void) | undefined {
    const made = attempts.get(conn) ?? { count: 0, isBusy: false };
    attempts.set(conn, made);
    made.count += 1;
    if (made.isBusy || made.count > attemptsMost) {
      // At once: a goodbye would wait for the next poll of somebody who means no good.
      conn.close(true);
      return undefined;
    }
    made.isBusy = true;
    return () => void (made.isBusy = false);
  };
}
