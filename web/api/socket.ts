import { type BroadcastChannel } from "@miranda/contract/broadcast-channels.ts";
import {
  type ClientEvents,
  parseBroadcastEvent,
  receivedBroadcast,
  type ServerEvents,
} from "@miranda/contract/events.ts";
import { socket as limits } from "@miranda/contract/limits.ts";
import { type BroadcastData, parseBroadcast } from "@miranda/contract/schemas/broadcasts.ts";

import { io } from "socket.io-client";

import { isRecord } from "../is-record.ts";
import { logWarning } from "../log.ts";
import { createStore } from "../store.ts";

export const socketOptions = {
  path: limits.path,
  transports: [...limits.transports],
  reconnectionDelay: limits.reconnectionDelay,
  reconnectionDelayMax: limits.reconnectionDelayMax,
  reconnectionAttempts: limits.reconnectionAttempts,
};

/** A broadcast for listeners in the client. The server adds who sent it. */
export interface ReceivedBroadcast<Channel extends BroadcastChannel> {
  sender: string;
  data: BroadcastData[Channel];
}

type ReceivedBroadcasts = {
  [Channel in BroadcastChannel as `broadcast(${Channel})`]: (event: ReceivedBroadcast<Channel>) => void;
};

export interface HeardEvents extends ServerEvents, ReceivedBroadcasts {
  /** The server closed the connection: signed out, or too many messages. The client does not reconnect. */
  ended: () => void;
}

/** What is used here of a Socket.IO socket. */
export interface SocketLike {
  on(event: string, listener: (...args: never[]) => void): unknown;
  onAny(listener: (event: string, ...args: unknown[]) => void): unknown;
  emit(event: string, ...args: unknown[]): unknown;
  connect(): unknown;
  disconnect(): unknown;
}

/** Why there is no connection. Only a refusal of the server has a code. After any other error Socket.IO reconnects by itself. */
interface ConnectError {
  message: string;
  data?: { code?: unknown };
}

interface Connection {
  isConnected: boolean;
  refusal: string | undefined;
}

export type Realtime = ReturnType<typeof createRealtime>;

/** Import this file only from code that is loaded on demand: Socket.IO is not needed for the first screen. */
const connectNow = (): Promise<SocketLike> => Promise.resolve(io(socketOptions));

export function createRealtime(connect: () => Promise<SocketLike> = connectNow) {
  const listeners = new Map<string, Set<(...args: unknown[]) => void>>();
  const { get, set, watch } = createStore<Connection>({ isConnected: false, refusal: undefined });
  let socket: SocketLike | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let opened = 0;
  let isClosing = false;

  function setConnection(isConnected: boolean, refusal?: string): void {
    if (isConnected !== get().isConnected || refusal !== get().refusal) set({ isConnected, refusal });
  }

  function dispatch(name: string, ...args: unknown[]): void {
    for (const listener of Array.from(listeners.get(name) ?? [])) listener(...args);
  }

  function receive(event: string, ...args: unknown[]): void {
    if (event === "realtime_message_queue") return unpack(args[0]);
    const broadcast = parseBroadcastEvent(event);
    if (broadcast) return receiveBroadcast(broadcast, args[0]);
    if (event === "ready") setConnection(true);
    dispatch(event, ...args);
  }

  /** Another person wrote it, so whatever it contains must not cause an error on this screen. */
  function receiveBroadcast({ sender, channel }: { sender: string; channel: BroadcastChannel }, given: unknown): void {
    const parsed = parseBroadcast(channel, given);
    if (!parsed) return logWarning(`A broadcast of ${sender} on ${channel} could not be read.`, given);
    try {
      dispatch(receivedBroadcast(channel), { sender, data: parsed.data });
    } catch (cause) {
      logWarning(`A broadcast of ${sender} on ${channel} could not be shown.`, cause);
    }
  }

  function onConnectError(made: SocketLike, { message, data }: ConnectError): void {
    if (data?.code === undefined) return;
    if (data.code === "not_signed_in") return dispatch("ended");
    // After a refusal Socket.IO does not reconnect. Retry slowly: the person may close another tab.
    setConnection(false, message);
    clearTimeout(retry);
    retry = setTimeout(() => made.connect(), limits.refusedRetry);
  }

  function unpack(text: unknown): void {
    let message: unknown;
    try {
      message = JSON.parse(String(text));
    } catch (cause) {
      logWarning("A realtime message could not be read.", cause);
      return;
    }
    const payload = isRecord(message) ? message.payload : undefined;
    if (isRecord(payload) && typeof payload.action === "string") dispatch(payload.action, payload.data);
    else logWarning("A realtime message has no action.", text);
  }

  return {
    open(): void {
      if (isClosing) {
        isClosing = false;
        return;
      }
      opened += 1;
      const mine = opened;
      connect()
        .then((made) => {
          if (mine !== opened) return made.disconnect();
          socket = made;
          made.onAny(receive);
          made.on("connect_error", (error: ConnectError) => onConnectError(made, error));
          made.on("disconnect", (reason: string) => {
            setConnection(false);
            if (reason === "io server disconnect") dispatch("ended");
          });
        })
        .catch((cause: unknown) => logWarning("The realtime connection could not be loaded.", cause));
    },

    /** Closes after the current task: components that React unmounts later in it still send that they leave. */
    close(): void {
      isClosing = true;
      queueMicrotask(() => {
        if (!isClosing) return;
        isClosing = false;
        opened += 1;
        clearTimeout(retry);
        socket?.disconnect();
        socket = undefined;
        setConnection(false);
      });
    },

    on<Name extends keyof HeardEvents>(name: Name, listener: HeardEvents[Name]): () => void {
      // TypeScript cannot express that all listeners under a name take that name's arguments.
      const own = listener as (...args: unknown[]) => void;
      const all = listeners.get(name) ?? new Set();
      listeners.set(name, all.add(own));
      return () => void all.delete(own);
    },

    /** Drops the message while disconnected: it may no longer be true after the reconnect. */
    send<Name extends keyof ClientEvents>(name: Name, ...args: Parameters<ClientEvents[Name]>): void {
      if (get().isConnected) socket?.emit(name, ...args);
    },

    broadcast<Channel extends BroadcastChannel>(channel: Channel, data: BroadcastData[Channel]): void {
      if (get().isConnected) socket?.emit("broadcast", channel, data);
    },

    isConnected: () => get().isConnected,

    /** Why the server refuses to connect, until it accepts. */
    refusal: () => get().refusal,

    watch,
  };
}
