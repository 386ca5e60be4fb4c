import { randomUUID } from "node:crypto";
import type { Notification, Pool } from "pg";

import { safely } from "../errors/safely.ts";

export interface Notifications {
  /** Wakes all who wait for this key, on every server of this database. */
  wake(key: string): void;
  /** Resolves when the key is woken, the time is over, or the server stops. True when it was woken. */
  wait(key: string, milliseconds: number): Promise<boolean>;
  isClosed(): boolean;
  close(): void;
}

const channel = "miranda_wakes";
// A notification lost with its connection costs this much time and nothing else.
const retryAfter = 1_000;
const sendAfter = 3;

/** Waits for PostgreSQL's NOTIFY instead of polling. */
export function createNotifications(pool: Pool, onError: (error: unknown) => void): Notifications {
  const waiting = new Map<string, Set<(isWoken: boolean) => void>>();
  /** Ends the listening connection, while there is one. */
  let drop: (() => void) | undefined;
  let opening: Promise<void> | undefined;
  let closed = false;
  const server = randomUUID();
  const unsent = new Set<string>();

  const release = (key: string, isWoken = true): void => {
    for (const resolve of waiting.get(key) ?? []) resolve(isWoken);
  };
  const onNotification = ({ payload = "" }: Notification): void => {
    const [sender, key] = [payload.slice(0, server.length), payload.slice(server.length + 1)];
    // Its own waiters were woken at once. Woken twice, they would look twice.
    if (sender !== server && key) release(key);
  };

  /** All that were woken in these milliseconds, in one statement. Those who wait here were woken at once. */
  function send(): void {
    if (unsent.size === 0) return;
    const payloads = Array.from(unsent, (key) => `${server} ${key}`);
    unsent.clear();
    pool.query("select pg_notify($1, payload) from unnest($2::text[]) as payload", [channel, payloads]).catch(onError);
  }

  async function listen(): Promise<void> {
    const opened = await pool.connect();
    let held = true;
    // A broken connection may emit several errors, also while it is being released. Releasing it twice throws.
    const letGo = (): void => {
      if (drop === letGo) drop = undefined;
      if (held) opened.release(true);
      held = false;
    };
    opened.on("notification", safely(onNotification));
    opened.on("error", safely(letGo));
    try {
      await opened.query(`listen ${channel}`);
    } catch (error) {
      letGo();
      throw error;
    }
    if (closed || !held) letGo();
    else drop = letGo;
  }

  function ensureListening(): void {
    if (drop || closed) return;
    opening ??= listen()
      .catch(() => undefined)
      .finally(() => (opening = undefined));
  }

  return {
    wake(key) {
      release(key);
      if (unsent.size === 0) setTimeout(safely(send), sendAfter);
      unsent.add(key);
    },

    async wait(key, milliseconds) {
      if (closed) return false;
      ensureListening();
      const all = waiting.get(key) ?? new Set();
      waiting.set(key, all);
      let resolve = (_isWoken: boolean): void => undefined;
      let timer: NodeJS.Timeout | undefined;
      const isWoken = await new Promise<boolean>((done) => {
        resolve = done;
        all.add(done);
        timer = setTimeout(safely(done), drop ? milliseconds : Math.min(milliseconds, retryAfter), false);
      });
      clearTimeout(timer);
      all.delete(resolve);
      if (all.size === 0) waiting.delete(key);
      return isWoken;
    },

    isClosed: () => closed,

    close() {
      closed = true;
      send();
      for (const key of waiting.keys()) release(key, false);
      drop?.();
    },
  };
}
