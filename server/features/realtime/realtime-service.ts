import { type ErrorCode, errors } from "@miranda/contract/errors.ts";
import type { ServerEvents } from "@miranda/contract/events.ts";
import { session as sessionLimits, socket as limits } from "@miranda/contract/limits.ts";
import type { GraphChange } from "@miranda/contract/schemas/changes.ts";
import type { RealtimeCounts, RealtimeMessage } from "@miranda/contract/schemas/realtime.ts";
import type { FastifyRequest } from "fastify";
import { Server } from "socket.io";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Redis } from "../../platform/redis.ts";
import { type HostSettings } from "../../platform/http/allowed-hosts.ts";
import { createRequestCheck } from "../../platform/http/security.ts";
import type { Auth } from "../auth/auth-service.ts";
import type { Projects } from "../projects/projects-service.ts";
import { createAccountMessageRates } from "./message-rate.ts";
import { createRoomPresence } from "./room-presence.ts";
import { createConnectionQuota } from "./connection-quota.ts";
import { type Extension, serveConnection } from "./connection.ts";
import { createDroppedBroadcasts } from "./dropped-broadcasts.ts";
import { createMemberLists } from "./member-lists.ts";
import { createMemoryPresence } from "./presence.ts";
import { createRedisPresence } from "./redis-presence.ts";
import { createRealtimeQueries } from "./realtime-queries.ts";
import { createRightsWatch } from "./rights-watch.ts";
import { type ClientSocket, type Connection, type Io, readersOf, roomOfAccount, writersOf } from "./rooms.ts";
import { joinOtherServers, noOtherServers, type OtherServers } from "./other-servers.ts";
import { createUnreadWatch } from "./unread-watch.ts";

export type { ClientSocket, Extension, OtherServers };
export type Realtime = ReturnType<typeof createRealtime>;

type Payload<Event extends keyof ServerEvents> = Parameters<ServerEvents[Event]>[0];

interface Dependencies {
  http: Http;
  db: Db;
  auth: Auth;
  projects: Projects;
  /** By which names the socket may be reached, and from which pages. */
  doors: HostSettings;
  presenceExpiry: number;
  socketsPerAccount: number;
  /** What this server shares with others, under names that begin so. */
  shared: { redis: Redis; prefix: string } | undefined;
}

/** The socket: who is in a graph, what they tell each other, and what the server tells them. */
export function createRealtime(dependencies: Dependencies) {
  const { http, db, auth, projects, doors, presenceExpiry, socketsPerAccount, shared } = dependencies;
  const refusalOf = createRequestCheck(doors);
  const report = (error: unknown): void => http.log.error({ err: error }, "realtime failed");
  const io: Io = new Server(http.server, {
    path: limits.path,
    transports: [...limits.transports],
    maxHttpBufferSize: limits.frameMax,
    connectTimeout: 10_000,
    serveClient: false,
    allowRequest: (request, decide) => {
      const refusal = refusalOf(request, true);
      decide(refusal && errors[refusal], refusal === undefined);
    },
  });

  const queries = createRealtimeQueries(db, projects);
  const otherServers = shared ? joinOtherServers(io, shared.redis, shared.prefix, report) : noOtherServers;
  const own = createMemoryPresence(presenceExpiry);
  const { prefix = "" } = shared ?? {};
  const presence = shared
    ? createRedisPresence(shared.redis.client, { prefix, lifetime: presenceExpiry, own, report })
    : own;
  const lists = createMemberLists({ io, presence, queries, otherServers, report });
  const roomPresence = createRoomPresence(lists, queries);
  const rights = createRightsWatch(io, roomPresence, queries);
  const extensions: Extension[] = [];
  const accountRates = createAccountMessageRates();
  const quota = createConnectionQuota(socketsPerAccount);
  const dropped = createDroppedBroadcasts((fields, line) => http.log.warn(fields, line));
  const unread = createUnreadWatch(io, (fields, line) => http.log.warn(fields, line));
  const observers = new Set<(change: GraphChange) => void>();

  async function welcome(socket: ClientSocket): Promise<Error | undefined> {
    const { cookie = "", authorization = "" } = socket.request.headers;
    const { token } = socket.handshake.auth as { token?: unknown };
    const bearer = typeof token === "string" && token !== "" ? token : /^Bearer (.+)$/i.exec(authorization)?.[1];
    try {
      const caller = await auth.authenticate({ session: http.parseCookie(cookie)[sessionLimits.cookie], bearer });
      if (!caller) return refusal("not_signed_in");
      const returnPlace = quota.take(caller.accountId);
      if (!returnPlace) return refusal("too_many_connections");
      socket.once("disconnect", returnPlace);
      // One that ends before it is let in never says disconnect, and one that has ended says nothing any more.
      socket.conn.once("close", returnPlace);
      if (socket.conn.readyState === "closed") returnPlace();
      Object.assign(socket.data, { caller, graphs: new Map() } satisfies Connection);
      return undefined;
    } catch (error) {
      report(error);
      return refusal("internal");
    }
  }

  const observed = (change: GraphChange): void => {
    for (const observer of observers) observer(change);
  };
  otherServers.on("graph_changed", observed);
  io.use((socket, decide) => void welcome(socket).then(decide));

  io.on("connection", (socket) => {
    void socket.join(roomOfAccount(socket.data.caller.accountId));
    serveConnection(socket, { roomPresence, rights, queries, extensions, accountRates, dropped, report });
    socket.emit("ready");
  });

  const watch = setInterval(() => void rights.check().catch(report), limits.rightsCheck);
  const unreadWatch = setInterval(unread.check, limits.unsentCheck);
  // Every 5 s when presence lasts 45 s.
  const expiry = setInterval(() => void lists.refreshAll().catch(report), Math.max(100, presenceExpiry / 9));
  // Whatever ends a session or an access is looked at once it is done; the watch finds what other servers did.
  http.addHook("onResponse", async (request, reply) => {
    if (reply.statusCode < 400 && mayEndRights(request)) rights.check().catch(report);
  });
  // Before the HTTP server waits for its connections to end. No goodbye: clients then come back by themselves.
  http.addHook("preClose", async () => {
    clearInterval(watch);
    clearInterval(unreadWatch);
    clearInterval(expiry);
    io.engine.close();
  });

  return {
    /** Tells everybody in a graph. Readers may be told less. */
    publish<Event extends keyof ServerEvents>(
      graphId: string,
      event: Event,
      payload: Payload<Event>,
      forReaders: Payload<Event> = payload,
    ): void {
      if (event === "update[GRAPH]") {
        observed(payload as GraphChange);
        otherServers.publish("graph_changed", payload);
      }
      const emit = (rooms: string[], data: unknown) => io.to(rooms).emit(event, ...([data] as never));
      if (forReaders === payload) return void emit([writersOf(graphId), readersOf(graphId)], payload);
      emit([writersOf(graphId)], payload);
      emit([readersOf(graphId)], forReaders);
    },

    /** Tells every connection of one account, wherever it is, through its message queue. */
    publishToAccount(accountId: string, action: string, data?: unknown): void {
      const message: RealtimeMessage = { payload: { action, data } };
      io.to(roomOfAccount(accountId)).emit("realtime_message_queue", JSON.stringify(message));
    },

    /** What the operator may want to know of this server. */
    counts(caller: Caller): RealtimeCounts {
      if (!caller.isAdmin) throw new AppError("not_admin");
      return { connections: quota.total(), dropped_broadcasts: dropped.counts() };
    },

    /** The accounts that are in a graph now, at whichever server. */
    presentIn: (graphId: string): Promise<string[]> => presence.accounts(graphId),

    checkRights: rights.check,

    otherServers,

    /** Lets another feature serve events of its own on the same connections, under the same limits. */
    extend: (extension: Extension) => void extensions.push(extension),

    /** Hears every change of a graph, as the writers in it are told. */
    observe: (observer: (change: GraphChange) => void) => void observers.add(observer),
  };
}

/** The client gets the words as the error's message, and the code in its data. */
function refusal(code: ErrorCode): Error {
  return Object.assign(new Error(errors[code]), { data: { code } });
}

function mayEndRights({ method, routeOptions }: FastifyRequest): boolean {
  if (method === "GET") return false;
  const { url = "" } = routeOptions;
  return /^\/api\/v3\/(auth|projects)\b/.test(url) || (method !== "POST" && url.startsWith("/api/v3/graphs/"));
}
