import { createClient } from "@redis/client";

import { StartupError } from "./errors/startup-error.ts";
import { messageOf } from "./errors/error-details.ts";
import { safely } from "./errors/safely.ts";

export type RedisClient = ReturnType<typeof connection>;

export interface Redis {
  /** Fails at once while Redis is unreachable: no call waits for it. */
  client: RedisClient;
  subscriber: RedisClient;
  /** Called when Redis is back after an outage: messages sent meanwhile are lost. */
  onBack(listener: () => void): void;
  close(): Promise<void>;
}

const longestPause = 2_000;

function connection(url: string, disableOfflineQueue: boolean) {
  return createClient({
    url,
    RESP: 2,
    disableOfflineQueue,
    socket: { connectTimeout: 5_000, reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, longestPause) },
  });
}

/** The Redis that several servers of one database share. */
export async function openRedis(url: string, report: (error: unknown, what: string) => void): Promise<Redis> {
  const client = connection(url, true);
  // Its subscriptions wait until Redis is back.
  const subscriber = connection(url, false);
  const listeners: (() => void)[] = [];
  let isAway = false;
  let isOpen = false;
  for (const one of [client, subscriber])
    one.on(
      "error",
      safely((error: unknown) => {
        if (!isAway && isOpen) report(error, "Redis is away");
        isAway = true;
      }),
    );
  subscriber.on(
    "ready",
    safely(() => {
      if (!isAway || !isOpen) return;
      isAway = false;
      for (const listener of listeners) listener();
    }),
  );
  const opening = Promise.all([client.connect(), subscriber.connect()]);
  try {
    await Promise.race([opening, firstError(client)]);
  } catch (error) {
    opening.catch(() => undefined);
    for (const one of [client, subscriber]) one.destroy();
    throw new StartupError(`REDIS_URL cannot be used: ${messageOf(error) || "nothing answers there"}.`);
  }
  isOpen = true;
  isAway = false;
  return {
    client,
    subscriber,
    onBack: (listener) => void listeners.push(safely(listener)),
    async close() {
      isOpen = false;
      // Closing would wait for an unreachable Redis.
      for (const one of [client, subscriber]) {
        if (one.isReady) await one.close().catch(() => undefined);
        else one.destroy();
      }
    },
  };
}

/** A client retries for ever. That is right later, but not at the start. */
function firstError(client: RedisClient): Promise<never> {
  return new Promise((_, reject) => client.once("error", reject));
}
