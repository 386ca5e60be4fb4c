import type { Command } from "@miranda/contract/graph/commands/command.ts";

import { HttpError, isRefusedWith } from "../../api/http.ts";
import type { Realtime } from "../../api/socket.ts";

/** Commands that set a value. They can be sent twice without harm, which happens when an answer is lost. */
const repeatable = new Set<Command["type"]>(["set", "unset", "patch", "move", "change", "draw"]);

/** A gateway has no server behind it: it restarts or is updated. */
const gatewayFailures = new Set([502, 503, 504]);

interface Keeping {
  /** Waits before the next try: a while, or until the connection is back. */
  wait: (attempt: number) => Promise<void>;
  isStopped: () => boolean;
  /** Called when the server cannot be reached, the first time only. */
  onAway: () => void;
}

/** Whether Miranda itself answered, and not a gateway before it, and not only that it is busy. */
const isAnswer = (cause: unknown): boolean =>
  cause instanceof HttpError &&
  !isRefusedWith(cause, "server_busy") &&
  (cause.code !== undefined || !gatewayFailures.has(cause.status));

/** Sends a command. While the server cannot be reached, a value that somebody has set is kept and sent again. */
export async function keepCalling<Answer>(
  command: Command,
  call: () => Promise<Answer>,
  { wait, isStopped, onAway }: Keeping,
): Promise<Answer> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call();
    } catch (cause) {
      if (isAnswer(cause) || !repeatable.has(command.type) || isStopped()) throw cause;
      if (attempt === 0 && !isRefusedWith(cause, "server_busy")) onAway();
      await wait(attempt);
      if (isStopped()) throw cause;
    }
  }
}

/** Waits this long, or until the connection is back. */
export function waitForConnection(realtime: Pick<Realtime, "isConnected" | "watch">, most: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      unwatch();
      resolve();
    };
    const timer = setTimeout(end, most);
    const unwatch = realtime.watch(() => {
      if (realtime.isConnected()) end();
    });
  });
}
