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
import { createConnectAttempts } from "./connect-attempts.ts";
import { createConnectionQuota } from "./connection-quota.ts";
import { type EventHandler, type Extension, serveConnection } from "./connection.ts";
import { createDroppedBroadcasts } from "./dropped-broadcasts.ts";
import { createMemberLists } from "./member-lists.ts";
import { createMemoryPresence } from "./presence.ts";
import { createRedisPresence } from "./redis-presence.ts";
import { createRealtimeQueries } from "./realtime-queries.ts";
import { createRightsWatch } from "./rights-watch.ts";
import { type ClientSocket, type Connection, type Io, readersOf, roomOfAccount, writersOf } from "./rooms.ts";
import { joinOtherServers, noOtherServers, type OtherServers } from "./other-servers.ts";
import { createUnreadWatch } from "./unread/unread-watch.ts";
import { safely } from "../../platform/errors/safely.ts";

export type { ClientSocket, EventHandler, Extension, OtherServers };
export type Realtime = ReturnType<typeof createRealtime>;

type Payload<Event extends keyof ServerEvents> = Parameters<ServerEvents[Event]>[0];

interface Dependencies {
  http: Http;
  db: Db;
  auth: Auth;
  projects: Projects;
  /** The host names of the socket, and the pages that may connect. */
  hostSettings: HostSettings;
  presenceExpiry: number;
  socketsPerAccount: number;
  /** The Redis shared with other servers, and the prefix of its keys. */
  shared: { redis: Redis; prefix: string } | undefined;
}

/** The socket: presence, broadcasts between people, and published events. */
export function createRealtime(dependencies: Dependencies) {
  const { http, db, auth, projects, hostSettings, presenceExpiry, socketsPerAccount, shared } = dependencies;
  const refusalOf = createRequestCheck(hostSettings);
  const report = (error: unknown): void => http.log.error({ err: error }, "realtime failed");
  const io: Io = new Server(http.server, {
    path: limits.path,
    transports: [...limits.transports],
    maxHttpBufferSize: limits.frameMax,
    connectTimeout: 10_000,
    serveClient: false,
    allowRequest: safely(
      (request, decide) => {
        const refusal = refusalOf(request, true);
        decide(refusal && errors[refusal], refusal === undefined);
      },
      (_error, _request, decide) => decide(errors.internal, false),
    ),
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
  const beginAttempt = createConnectAttempts();
  const dropped = createDroppedBroadcasts((fields, line) => http.log.warn(fields, line));
  const unread = createUnreadWatch(io, (fields, line) => http.log.warn(fields, line));
  const observers = new Set<(change: GraphChange) => void>();

  async function welcome(socket: ClientSocket): Promise<Error | undefined> {
    const endAttempt = beginAttempt(socket);
    if (!endAttempt) return refusal("too_many_connections");
    try {
      return await refusalFor(socket);
    } finally {
      endAttempt();
    }
  }

  async function refusalFor(socket: ClientSocket): Promise<Error | undefined> {
    const { cookie = "", authorization = "" } = socket.request.headers;
    const { token }: { token?: unknown } = socket.handshake.auth;
    const bearer = typeof token === "string" && token !== "" ? token : /^Bearer (.+)$/i.exec(authorization)?.[1];
    try {
      const caller = await auth.authenticate({ session: http.parseCookie(cookie)[sessionLimits.cookie], bearer });
      if (!caller) return refusal("not_signed_in");
      if (caller.needsSecondFactor) return refusal("second_factor_needed");
      if (caller.onlyDeployment !== undefined) return refusal("token_scope");
      const returnPlace = quota.take(caller.accountId);
      if (!returnPlace) return refusal("too_many_connections");
      socket.once("disconnect", safely(returnPlace));
      // A connection that ends before it is accepted never emits disconnect, and one that has ended emits nothing.
      socket.conn.once("close", safely(returnPlace));
      if (socket.conn.readyState === "closed") returnPlace();
      Object.assign(socket.data, { caller, graphs: new Map() } satisfies Connection);
      return undefined;
    } catch (error) {
      if (error instanceof AppError) return refusal(error.code);
      report(error);
      return refusal("internal");
    }
  }

  const observed = (change: GraphChange): void => {
    for (const observer of observers) observer(change);
  };
  otherServers.on("graph_changed", observed);
  io.use(safely(async (socket, decide) => decide(await welcome(socket))));

  io.on(
    "connection",
    safely(
      (socket) => {
        unread.add(socket);
        // What an account is told may be about any of its projects.
        if (socket.data.caller.onlyProject === null) void socket.join(roomOfAccount(socket.data.caller.accountId));
        serveConnection(socket, { roomPresence, rights, queries, extensions, accountRates, dropped, report });
        socket.emit("ready");
      },
      (_error, socket) => socket.disconnect(true),
    ),
  );

  const watch = setInterval(
    safely(() => void rights.check().catch(report)),
    limits.rightsCheck,
  );
  const unreadWatch = setInterval(safely(unread.check), limits.unreadCheck);
  // Every 5 s when presence lasts 45 s.
  const expiry = setInterval(
    safely(() => void lists.refreshAll().catch(report)),
    Math.max(100, presenceExpiry / 9),
  );
  // Check rights after every call that may end a session or an access. The watch finds changes by other servers.
  http.addHook("onResponse", async (request, reply) => {
    if (reply.statusCode < 400 && mayEndRights(request)) rights.check().catch(report);
  });
  // Before the HTTP server waits for its connections. Without a goodbye, so that clients reconnect by themselves.
  http.addHook("preClose", async () => {
    clearInterval(watch);
    clearInterval(unreadWatch);
    clearInterval(expiry);
    io.engine.close();
  });

  return {
    /** Publishes an event to everybody in a graph. Readers may get less, and nothing with null. */
    publish<Event extends keyof ServerEvents>(
      graphId: string,
      event: Event,
      payload: Payload<Event>,
      forReaders: Payload<Event> | null = payload,
    ): void {
      // Comparing the event does not tell TypeScript which payload it has, nor that one payload is all it takes.
      if (event === "update[GRAPH]") {
        observed(payload as GraphChange);
        otherServers.publish("graph_changed", payload);
      }
      const emit = (rooms: string[], data: unknown) => io.to(rooms).emit(event, ...([data] as never));
      if (forReaders === payload) return void emit([writersOf(graphId), readersOf(graphId)], payload);
      emit([writersOf(graphId)], payload);
      if (forReaders !== null) emit([readersOf(graphId)], forReaders);
    },

    /** Publishes to every connection of one account, on any server, through its message queue. */
    publishToAccount(accountId: string, action: string, data?: unknown): void {
      const message: RealtimeMessage = { payload: { action, data } };
      io.to(roomOfAccount(accountId)).emit("realtime_message_queue", JSON.stringify(message));
    },

    /** Counters for the operator of this server. */
    counts(caller: Caller): RealtimeCounts {
      if (!caller.isAdmin) throw new AppError("not_admin");
      return { connections: quota.total(), dropped_broadcasts: dropped.counts() };
    },

    /** Open connections to this server. */
    connections: () => quota.total(),

    /** The accounts that are present in a graph, on any server. */
    presentIn: (graphId: string): Promise<string[]> => presence.accounts(graphId),

    checkRights: rights.check,

    otherServers,

    /** Lets another feature handle events on the same connections, under the same limits. */
    extend: (extension: Extension) => void extensions.push(extension),

    /** Receives every change of a graph, as writers in it do. */
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
  const ends = /^\/api\/v3\/(auth|projects|teams|invitations|admin)\b/;
  return ends.test(url) || (method !== "POST" && url.startsWith("/api/v3/graphs/"));
}
