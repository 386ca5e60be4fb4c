import { createAdapter } from "@socket.io/redis-adapter";

import type { Redis } from "../../platform/redis.ts";
import type { Io } from "./rooms.ts";
import { safely } from "../../platform/errors/safely.ts";

/** The other servers on this database. Without Redis there are none. */
export interface OtherServers {
  isShared: boolean;
  publish(event: string, ...args: unknown[]): void;
  /** The answers that arrive in time. */
  request(event: string, ...args: unknown[]): Promise<unknown[]>;
  /** A handler's result is its answer. */
  on(event: string, handler: (...args: never[]) => unknown): void;
  /** Called when they can be reached again after an outage. */
  onBack(listener: () => void): void;
}

const answersWithin = 1_000;

export const noOtherServers: OtherServers = {
  isShared: false,
  publish: () => undefined,
  request: async () => [],
  on: () => undefined,
  onBack: () => undefined,
};

/** Lets broadcasts reach people on other servers, and servers send messages to each other. */
export function joinOtherServers(
  io: Io,
  { client, subscriber, onBack }: Redis,
  prefix: string,
  report: (error: unknown) => void,
): OtherServers {
  // A broadcast must neither fail nor wait when Redis is away: local people get it in any case.
  const publisher = new Proxy(client, {
    get(target, name) {
      if (name === "publish")
        return (...args: Parameters<typeof client.publish>) => target.publish(...args).catch(() => 0);
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  io.adapter(createAdapter(publisher, subscriber, { key: prefix, requestsTimeout: answersWithin }));
  // Messages of the others were lost meanwhile. A client that reconnects asks for everything it missed.
  onBack(() => {
    for (const socket of io.sockets.sockets.values()) socket.conn.close();
  });

  return {
    isShared: true,
    onBack,
    publish: (event, ...args) => io.serverSideEmit(event, ...args),
    request: (event, ...args) =>
      new Promise((resolve) => {
        io.serverSideEmit(event, ...args, (_late: Error | null, answers: unknown[] = []) => resolve(answers));
        // The number of servers comes from Redis, which may be away.
        setTimeout(resolve, answersWithin + 200, []).unref();
      }),
    on: (event, handler) =>
      io.on(
        event,
        safely((...given: unknown[]) => {
          const last = given.at(-1);
          const answer = isAnswer(last) ? last : undefined;
          // Our own servers sent them, so they are what the handler of the same event takes.
          const args = (answer ? given.slice(0, -1) : given) as never[];
          void (async () => handler(...args))().then(
            (value) => answer?.(value ?? null),
            (error: unknown) => {
              report(error);
              answer?.(null);
            },
          );
        }),
      ),
  };
}

/** The adapter adds this function when the other server waits for an answer. */
function isAnswer(value: unknown): value is (value: unknown) => void {
  return typeof value === "function";
}
