import { socket as limits } from "@miranda/contract/limits.ts";

import type { ClientSocket, Io } from "./rooms.ts";

/** What engine.io has of a connection and does not declare. */
interface Pipe {
  /** What waits until the transport may be written to again. */
  writeBuffer: { data?: string | Uint8Array }[];
  transport: { name: string; socket?: { bufferedAmount: number; terminate(): void } };
  close(discard: boolean): void;
}

const pipeOf = (socket: ClientSocket): Pipe => socket.conn as unknown as Pipe;

/** How much a client was told and has not taken yet. */
function unsentTo({ writeBuffer, transport }: Pipe): number {
  return writeBuffer.reduce((sum, { data }) => sum + (data?.length ?? 0), transport.socket?.bufferedAmount ?? 0);
}

/**
 * Ends connections that do not read: what they are told lies in the server's memory, and somebody who never reads could
 * fill it. No goodbye, which nobody would read either: whoever was only slow comes back and fetches what is there.
 */
export function createUnreadWatch(io: Io, warn: (fields: object, line: string) => void) {
  function end(socket: ClientSocket, unsent: number): void {
    const { username } = socket.data.caller;
    warn({ username, unsent }, "ended a connection that does not read what it is told");
    const pipe = pipeOf(socket);
    // An orderly close would wait behind all that is unsent.
    if (pipe.transport.socket) pipe.transport.socket.terminate();
    else pipe.close(true);
  }

  return {
    check(): void {
      for (const socket of io.sockets.sockets.values()) {
        const unsent = unsentTo(pipeOf(socket));
        if (unsent > limits.unsentMax) end(socket, unsent);
      }
    },
  };
}
