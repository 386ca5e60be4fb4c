import { arrangeMembers } from "@miranda/contract/members.ts";
import type { Member } from "@miranda/contract/schemas/members.ts";
import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import type { EnteredGraph } from "@miranda/contract/schemas/realtime.ts";

import { avatarAddress } from "../auth/auth-service.ts";
import type { Presence } from "./presence.ts";
import type { createRealtimeQueries } from "./realtime-queries.ts";
import { type ClientSocket, type Io, readersOf, roomFor, writersOf } from "./rooms.ts";

/** Entering and leaving graphs, as everybody there sees it. */
export function createAttendance(io: Io, presence: Presence, queries: ReturnType<typeof createRealtimeQueries>) {
  async function membersOf(accountIds: string[]): Promise<Member[]> {
    if (accountIds.length === 0) return [];
    const rows = await queries.members(accountIds);
    return rows.map(({ avatar_version, ...row }) => ({ ...row, avatar: avatarAddress(row.id, avatar_version) }));
  }

  async function sayLeft(graphId: string, accountId: string): Promise<void> {
    const [user] = await membersOf([accountId]);
    // Somebody who came back while we asked has not left.
    if (!user || (await presence.accounts(graphId)).includes(accountId)) return;
    io.to([writersOf(graphId), readersOf(graphId)]).emit("left_project", { user: withoutEmail(user) });
  }

  function sayEntered(to: Pick<Io | ClientSocket, "to">, graphId: string, user: Member): void {
    to.to(writersOf(graphId)).emit("entered_project", { user });
    to.to(readersOf(graphId)).emit("entered_project", { user: withoutEmail(user) });
  }

  /** Puts a connection into the room of what its account may do, and out of the other one. */
  async function place(socket: ClientSocket, graphId: string, access: ProjectAccess): Promise<void> {
    const { graphs } = socket.data;
    const before = graphs.get(graphId);
    if (before !== undefined && roomFor(graphId, before) !== roomFor(graphId, access))
      await socket.leave(roomFor(graphId, before));
    graphs.set(graphId, access);
    await socket.join(roomFor(graphId, access));
  }

  return {
    place,

    /** Tells how far the graph is, read once its changes are heard: what a client loaded of it before may be older. */
    async enter(socket: ClientSocket, graphId: string, access: ProjectAccess): Promise<EnteredGraph | undefined> {
      const { caller, graphs } = socket.data;
      // Broadcasts go to the graph entered last.
      graphs.delete(graphId);
      await place(socket, graphId, access);
      const isNew = await presence.enter(graphId, caller.accountId, socket.id);
      const [members, progress] = await Promise.all([
        presence.accounts(graphId).then(membersOf),
        queries.progress(graphId),
      ]);
      if (!socket.connected) {
        await presence.leave(graphId, caller.accountId, socket.id);
        return undefined;
      }
      const seen = members.map((one) => (access === "viewer" && one.id !== caller.accountId ? withoutEmail(one) : one));
      socket.emit("project_members", { members: arrangeMembers(seen) });
      const user = members.find((member) => member.id === caller.accountId);
      if (isNew && user) sayEntered(socket, graphId, user);
      return progress;
    },

    /** A member whose presence had run out enters once more. */
    async renew(socket: ClientSocket, graphId: string): Promise<void> {
      const { accountId } = socket.data.caller;
      if (!(await presence.enter(graphId, accountId, socket.id))) return;
      const [user] = await membersOf([accountId]);
      if (user) sayEntered(io, graphId, user);
    },

    async leave(socket: ClientSocket, graphId: string): Promise<void> {
      const { caller, graphs } = socket.data;
      graphs.delete(graphId);
      await socket.leave(writersOf(graphId));
      await socket.leave(readersOf(graphId));
      if (await presence.leave(graphId, caller.accountId, socket.id)) await sayLeft(graphId, caller.accountId);
    },

    async expire(): Promise<void> {
      for (const { graphId, accountId } of await presence.expire()) await sayLeft(graphId, accountId);
    },
  };
}

/** Everybody may enter a public project; the addresses of those who build it are for those who build it. */
const withoutEmail = (member: Member): Member => ({ ...member, email: "" });

export type Attendance = ReturnType<typeof createAttendance>;
