import { isRecord } from "@miranda/contract/json.ts";
import { socket as limits } from "@miranda/contract/limits.ts";

import type { ClientSocket, Io } from "./rooms.ts";

/** Undeclared internals of an engine.io connection. */
interface Pipe {
  /** Packets that wait until the transport is writable. */
  writeBuffer: { data?: string | Uint8Array }[];
  transport: { name: string; socket?: { bufferedAmount: number; terminate(): void } };
  close(discard: boolean): void;
}

function isPipe(connection: unknown): connection is Pipe {
  return isRecord(connection) && Array.isArray(connection["writeBuffer"]) && isRecord(connection["transport"]);
}

function pipeOf({ conn }: { conn: unknown }): Pipe {
  if (isPipe(conn)) return conn;
  throw new Error("engine.io has other internals now: what a connection has not read cannot be counted.");
}

/** The bytes sent to a client that it has not read yet. */
function unsentTo({ writeBuffer, transport }: Pipe): number {
  return writeBuffer.reduce((sum, { data }) => sum + (data?.length ?? 0), transport.socket?.bufferedAmount ?? 0);
}

/**
 * Closes connections that do not read: their events fill the server's memory. Without a goodbye, which would not be
 * read either. A client that was only slow reconnects and fetches the present state.
 */
export function createUnreadWatch(io: Io, warn: (fields: object, line: string) => void) {
  function end(socket: ClientSocket, unsent: number): void {
    const { username } = socket.data.caller;
    warn({ username, unsent }, "closed a connection that does not read its events");
    const pipe = pipeOf(socket);
    // A regular close would wait behind everything unsent.
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
