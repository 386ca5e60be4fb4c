import type { ClientEvents, ServerEvents } from "@miranda/contract/events.ts";
import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import type { DefaultEventsMap, Server, Socket } from "socket.io";

import type { Caller } from "../../platform/http/caller.ts";

/** What the server knows of a connection. */
export interface Connection {
  caller: Caller;
  /** The graphs it has entered, the latest last, and its account's access there. */
  graphs: Map<string, ProjectAccess>;
}

export type Io = Server<ClientEvents, ServerEvents, DefaultEventsMap, Connection>;
export type ClientSocket = Socket<ClientEvents, ServerEvents, DefaultEventsMap, Connection>;

// Readers have a separate room: some events are for writers only.
export const writersOf = (graphId: string): string => `write:${graphId}`;
export const readersOf = (graphId: string): string => `read:${graphId}`;
export const roomOfAccount = (accountId: string): string => `account:${accountId}`;

export function roomFor(graphId: string, access: ProjectAccess): string {
  return access === "viewer" ? readersOf(graphId) : writersOf(graphId);
}
