import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import type { EnteredGraph } from "@miranda/contract/schemas/realtime.ts";

import type { MemberLists } from "./member-lists.ts";
import type { createRealtimeQueries } from "./realtime-queries.ts";
import { type ClientSocket, readersOf, writersOf } from "./rooms.ts";

/** Entering and leaving graphs. */
export function createRoomPresence(lists: MemberLists, queries: ReturnType<typeof createRealtimeQueries>) {
  /** Puts a connection into the room of its account's access, and out of the other one. */
  async function place(socket: ClientSocket, graphId: string, access: ProjectAccess): Promise<void> {
    const [writers, readers] = [writersOf(graphId), readersOf(graphId)];
    const [room, other] = access === "viewer" ? [readers, writers] : [writers, readers];
    socket.data.graphs.set(graphId, access);
    // At the same time: in between it would be in no room and miss events.
    await Promise.all([socket.leave(other), socket.join(room)]);
  }

  return {
    place,

    /**
     * Returns the graph's revision, read after its events begin to arrive: what a client loaded before may be older.
     */
    async enter(socket: ClientSocket, graphId: string, access: ProjectAccess): Promise<EnteredGraph | undefined> {
      // Broadcasts go to the graph entered last.
      socket.data.graphs.delete(graphId);
      await place(socket, graphId, access);
      const [, progress] = await Promise.all([lists.enter(socket, graphId), queries.progress(graphId)]);
      return socket.connected ? progress : undefined;
    },

    renew: lists.renew,

    async leave(socket: ClientSocket, graphId: string): Promise<void> {
      socket.data.graphs.delete(graphId);
      await Promise.all([socket.leave(writersOf(graphId)), socket.leave(readersOf(graphId))]);
      await lists.leave(socket, graphId);
    },
  };
}

export type RoomPresence = ReturnType<typeof createRoomPresence>;
