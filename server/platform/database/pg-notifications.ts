import type { Notification, Pool } from "pg";

export interface Notifications {
  /** Wakes all who wait for this key, on every server of this database. */
  wake(key: string): void;
  /** Resolves when the key is woken, the time is over, or the server stops. */
  wait(key: string, milliseconds: number): Promise<void>;
  isClosed(): boolean;
  close(): void;
}

const channel = "miranda_wake";
// A notification lost with its connection costs this much time and nothing else.
const retryAfter = 1_000;

/** Waits for PostgreSQL's NOTIFY instead of polling. */
export function createNotifications(pool: Pool, onError: (error: unknown) => void): Notifications {
  const waiting = new Map<string, Set<() => void>>();
  /** Ends the listening connection, while there is one. */
  let drop: (() => void) | undefined;
  let opening: Promise<void> | undefined;
  let closed = false;

  const release = (key: string): void => {
    for (const resolve of waiting.get(key) ?? []) resolve();
  };
  const onNotification = ({ payload }: Notification): void => {
    if (payload) release(payload);
  };

  async function listen(): Promise<void> {
    const opened = await pool.connect();
    let held = true;
    // A broken connection may emit several errors, also while it is being released. Releasing it twice throws.
    const letGo = (): void => {
      if (drop === letGo) drop = undefined;
      if (held) opened.release(true);
      held = false;
    };
    opened.on("notification", onNotification);
    opened.on("error", letGo);
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
      pool.query("select pg_notify($1, $2)", [channel, key]).catch(onError);
    },

    async wait(key, milliseconds) {
      if (closed) return;
      ensureListening();
      const all = waiting.get(key) ?? new Set();
      waiting.set(key, all);
      let resolve = (): void => undefined;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((done) => {
        resolve = done;
        all.add(done);
        timer = setTimeout(done, drop ? milliseconds : Math.min(milliseconds, retryAfter));
      });
      clearTimeout(timer);
      all.delete(resolve);
      if (all.size === 0) waiting.delete(key);
    },

    isClosed: () => closed,

    close() {
      closed = true;
      for (const key of waiting.keys()) release(key);
      drop?.();
    },
  };
}
