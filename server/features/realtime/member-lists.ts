import { arrangeMembers } from "@miranda/contract/members.ts";
import type { Member } from "@miranda/contract/schemas/members.ts";

import { avatarAddress } from "../auth/auth-service.ts";
import type { Presence } from "./presence.ts";
import type { createRealtimeQueries } from "./realtime-queries.ts";
import { type ClientSocket, type Io, readersOf, writersOf } from "./rooms.ts";
import type { OtherServers } from "./other-servers.ts";

interface MemberList {
  /** The members last sent to the connections in this graph at this server. */
  sent: ReadonlyMap<string, Member>;
  /** Connections in the graph's room that wait for their first list. */
  newcomers: ClientSocket[];
  current: Promise<void>;
  next: Promise<void> | undefined;
}

interface Dependencies {
  io: Io;
  presence: Presence;
  queries: ReturnType<typeof createRealtimeQueries>;
  otherServers: OtherServers;
  report(error: unknown): void;
}

/**
 * Publishes who is present in a graph.
 *
 * For each graph, each server remembers the members it last sent to its own connections. One round at a time reads who
 * is present, sends the differences to connections with a list, and the whole list to those without. A round sends all
 * of that without awaiting anything in between, so every connection knows exactly what `sent` holds. If a list were sent
 * after a wait, it would lack a person who entered during the wait, and overwrite their entered_project.
 *
 * A round only compares, so an extra one does no harm. Every change starts a round, here and on the other servers. The
 * next `refreshAll` makes up for a lost message to another server.
 */
export function createMemberLists({ io, presence, queries, otherServers, report }: Dependencies) {
  const lists = new Map<string, MemberList>();
  const hasListeners = (graphId: string) =>
    io.sockets.adapter.rooms.has(writersOf(graphId)) || io.sockets.adapter.rooms.has(readersOf(graphId));

  otherServers.on("members_changed", (graphId: string) => refresh(graphId));

  async function membersOf(accountIds: string[]): Promise<Member[]> {
    if (accountIds.length === 0) return [];
    const rows = await queries.members(accountIds);
    return rows.map(({ avatar_version, ...row }) => ({ ...row, avatar: avatarAddress(row.id, avatar_version) }));
  }

  /** Resolves after a round that began after this call. Callers during a round share the next one. */
  function refresh(graphId: string): Promise<void> {
    let list = lists.get(graphId);
    if (!list) {
      if (!hasListeners(graphId)) return Promise.resolve();
      list = { sent: new Map(), newcomers: [], current: Promise.resolve(), next: undefined };
      lists.set(graphId, list);
    }
    list.next ??= startAfter(list.current, graphId, list);
    return list.next;
  }

  async function startAfter(previous: Promise<void>, graphId: string, list: MemberList): Promise<void> {
    // A failed round was reported to its callers.
    await previous.catch(() => undefined);
    list.current = list.next ?? Promise.resolve();
    list.next = undefined;
    await round(graphId, list);
  }

  async function round(graphId: string, list: MemberList): Promise<void> {
    const newcomers = list.newcomers.splice(0);
    await Promise.all(newcomers.map((socket) => addPresence(socket, graphId)));
    const accounts = await presence.accounts(graphId);
    // A newcomer gets present names and pictures.
    const lacking = newcomers.length > 0 ? accounts : accounts.filter((id) => !list.sent.has(id));
    const fresh = new Map((await membersOf(lacking)).map((member) => [member.id, member]));

    // Nothing may be awaited from here on.
    const now = new Map<string, Member>();
    for (const id of accounts) {
      const member = fresh.get(id) ?? list.sent.get(id);
      if (member) now.set(id, member);
    }
    // Connections that entered meanwhile have no list yet, and get a whole one in the next round.
    const withoutList = [...newcomers, ...list.newcomers].map(({ id }) => id);
    publishChanges(graphId, list.sent, now, withoutList);
    const members = arrangeMembers([...now.values()]);
    for (const socket of newcomers) sendList(socket, graphId, members);
    list.sent = now;
    if (list.next === undefined && !hasListeners(graphId)) lists.delete(graphId);
  }

  function publishChanges(
    graphId: string,
    before: ReadonlyMap<string, Member>,
    now: ReadonlyMap<string, Member>,
    listless: string[],
  ): void {
    const [writers, readers] = [writersOf(graphId), readersOf(graphId)];
    for (const [id, user] of before) {
      if (now.has(id)) continue;
      io.local
        .except(listless)
        .to([writers, readers])
        .emit("left_project", { user: withoutEmail(user) });
    }
    for (const [id, user] of now) {
      if (before.has(id)) continue;
      io.local.except(listless).to(writers).emit("entered_project", { user });
      io.local
        .except(listless)
        .to(readers)
        .emit("entered_project", { user: withoutEmail(user) });
    }
  }

  /** Registers a connection. True when its account was not present before, or has already left again. */
  async function addPresence(socket: ClientSocket, graphId: string): Promise<boolean> {
    const { caller, graphs } = socket.data;
    let isChanged = await presence.enter(graphId, caller.accountId, socket.id);
    // A person who left meanwhile would stay in the list until their presence expires.
    if (!socket.connected || !graphs.has(graphId))
      isChanged = (await presence.leave(graphId, caller.accountId, socket.id)) || isChanged;
    if (isChanged) otherServers.publish("members_changed", graphId);
    return isChanged;
  }

  return {
    refresh,

    /** For a connection in the graph's room. Resolves when it has its list. */
    enter(socket: ClientSocket, graphId: string): Promise<void> {
      const entered = refresh(graphId);
      lists.get(graphId)?.newcomers.push(socket);
      return entered;
    },

    /** A member whose presence had expired enters again. */
    async renew(socket: ClientSocket, graphId: string): Promise<void> {
      if (await addPresence(socket, graphId)) await refresh(graphId);
    },

    /** For a connection that has left the graph's room. */
    async leave(socket: ClientSocket, graphId: string): Promise<void> {
      if (!(await presence.leave(graphId, socket.data.caller.accountId, socket.id))) return;
      otherServers.publish("members_changed", graphId);
      await refresh(graphId);
    },

    /** Removes expired members, and refreshes every list. */
    async refreshAll(): Promise<void> {
      const gone = new Set((await presence.expire()).map(({ graphId }) => graphId));
      for (const graphId of gone) otherServers.publish("members_changed", graphId);
      for (const graphId of [...lists.keys()]) await refresh(graphId).catch(report);
    },
  };
}

function sendList(socket: ClientSocket, graphId: string, members: Member[]): void {
  const { caller, graphs } = socket.data;
  const access = graphs.get(graphId);
  if (access === undefined) return;
  const isShown = (member: Member) => access !== "viewer" || member.id === caller.accountId;
  socket.emit("project_members", {
    members: members.map((member) => (isShown(member) ? member : withoutEmail(member))),
  });
}

/** Everybody may enter a public project. Only its members see e-mail addresses. */
const withoutEmail = (member: Member): Member => ({ ...member, email: "" });

export type MemberLists = ReturnType<typeof createMemberLists>;
