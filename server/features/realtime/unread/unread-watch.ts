import { parseLogsEvent } from "@miranda/contract/events.ts";
import { socket as limits } from "@miranda/contract/limits.ts";
import type { LogEntry, NodeOutput } from "@miranda/contract/schemas/processors.ts";

import type { ClientSocket, Io } from "../rooms.ts";
import { cut, filterEvents, unreadBy } from "./pipe.ts";
import { safely } from "../../../platform/errors/safely.ts";

/** A connection that has too much unread, until it has read most of it. */
interface Behind {
  /** The lines that were left out, by session. */
  lines: Map<string, { first: number; last: number }>;
  /** The sessions of which outputs were left out. */
  outputs: Set<string>;
  /** What was unread at the last check, and when it last became less. */
  unread: number;
  lastRead: number;
}

/**
 * Limits what waits in the server's memory for connections that read slowly or not at all. Over the limit, new lines and
 * large outputs are left out for that connection. When it has read the rest, it is told what is missing, and fetches it. A
 * connection that reads nothing is cut: it would not read a closing message. It reconnects and fetches everything.
 */
export function createUnreadWatch(
  io: Io,
  warn: (fields: object, line: string) => void,
  { now = Date.now, unreadOf = unreadBy } = {},
) {
  const behind = new Map<ClientSocket, Behind>();

  function end(socket: ClientSocket, unread: number): void {
    const { username } = socket.data.caller;
    warn({ username, unread }, "closed a connection that does not read its events");
    cut(socket);
  }

  function isLeftOut(socket: ClientSocket, event: string, data: unknown, bytes: number): boolean {
    const jobId = parseLogsEvent(event);
    if (jobId === undefined && !(event === "output" && bytes > limits.smallOutput)) return false;
    let state = behind.get(socket);
    if (!state) {
      const unread = unreadOf(socket);
      if (unread <= limits.unreadLines) return false;
      state = { lines: new Map(), outputs: new Set(), unread, lastRead: now() };
      behind.set(socket, state);
    }
    // Only our own servers publish, so the data has the event's type.
    if (jobId === undefined) state.outputs.add((data as NodeOutput).job_id);
    else noteLines(state, jobId, data as LogEntry[]);
    return true;
  }

  function checkBehind(socket: ClientSocket, state: Behind): void {
    const unread = unreadOf(socket);
    if (unread <= limits.unreadCaughtUp) {
      behind.delete(socket);
      for (const [job_id, { first, last }] of state.lines) socket.emit("lines_left_out", { job_id, first, last });
      for (const job_id of state.outputs) socket.emit("outputs_left_out", { job_id });
      return;
    }
    if (unread < state.unread) state.lastRead = now();
    state.unread = unread;
    if (now() - state.lastRead >= limits.unreadFor) end(socket, unread);
  }

  return {
    add(socket: ClientSocket): void {
      filterEvents(socket, (event, data, bytes) => isLeftOut(socket, event, data, bytes));
      socket.once(
        "disconnect",
        safely(() => void behind.delete(socket)),
      );
    },

    check(): void {
      for (const [socket, state] of behind) checkBehind(socket, state);
      for (const socket of io.sockets.sockets.values()) {
        const unread = unreadOf(socket);
        if (unread > limits.unreadMax) end(socket, unread);
      }
    },
  };
}

function noteLines({ lines }: Behind, jobId: string, entries: readonly LogEntry[]): void {
  for (const { id, message, unfinished } of entries) {
    // It is published again when the line is complete.
    if (unfinished === true) continue;
    const last = id + message.split("\n").length - 1;
    const known = lines.get(jobId);
    if (known) known.last = Math.max(known.last, last);
    else lines.set(jobId, { first: id, last });
  }
}
