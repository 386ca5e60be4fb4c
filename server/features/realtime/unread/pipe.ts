import { isRecord } from "@miranda/contract/json.ts";

import type { ClientSocket } from "../rooms.ts";

/** Undeclared internals of an engine.io connection. */
interface Pipe {
  /** Packets that wait until the transport is writable. */
  writeBuffer: { data?: string | Uint8Array }[];
  transport: { name: string; socket?: { bufferedAmount: number; terminate(): void } };
  close(discard: boolean): void;
}

/** An undeclared internal of Socket.IO: it writes every packet to a connection, already encoded for all connections. */
interface Writer {
  writeToEngine(packets: readonly unknown[], options: unknown): void;
}

const otherInternals = "Socket.IO has other internals now: what a connection has not read cannot be limited.";

function isPipe(connection: unknown): connection is Pipe {
  return isRecord(connection) && Array.isArray(connection["writeBuffer"]) && isRecord(connection["transport"]);
}

function isWriter(client: unknown): client is Writer {
  return typeof client === "object" && client !== null && "writeToEngine" in client;
}

function pipeOf({ conn }: { conn: unknown }): Pipe {
  if (isPipe(conn)) return conn;
  throw new Error(otherInternals);
}

/** The bytes sent to a client that it has not read yet. They are in the server's memory. */
export function unreadBy(socket: ClientSocket): number {
  const { writeBuffer, transport } = pipeOf(socket);
  return writeBuffer.reduce((sum, { data }) => sum + (data?.length ?? 0), transport.socket?.bufferedAmount ?? 0);
}

/** Ends a connection at once. A regular close would wait behind everything unread. */
export function cut(socket: ClientSocket): void {
  const pipe = pipeOf(socket);
  if (pipe.transport.socket) pipe.transport.socket.terminate();
  else pipe.close(true);
}

/**
 * Asks before each event to this connection whether to leave it out. The event is encoded already, so nothing is encoded
 * for one connection alone, whether it comes from this server or another one.
 */
export function filterEvents(
  socket: ClientSocket,
  isLeftOut: (event: string, data: unknown, bytes: number) => boolean,
): void {
  const { client }: { client: unknown } = socket;
  if (!isWriter(client)) throw new Error(otherInternals);
  const write = client.writeToEngine.bind(client);
  let next: { event: string; data: unknown } | undefined;
  // Socket.IO calls this directly before it writes the event.
  socket.onAnyOutgoing((event: string, data: unknown) => (next = { event, data }));
  client.writeToEngine = (packets, options) => {
    const written = next;
    next = undefined;
    if (!written || !isLeftOut(written.event, written.data, sizeOf(packets))) write(packets, options);
  };
}

function sizeOf(packets: readonly unknown[]): number {
  return packets.reduce<number>(
    (sum, one) => sum + (typeof one === "string" || one instanceof Uint8Array ? one.length : 0),
    0,
  );
}
