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

import { logWarning } from "../log.ts";

export const socketOptions = {
  path: limits.path,
  transports: [...limits.transports],
  reconnectionDelay: limits.reconnectionDelay,
  reconnectionDelayMax: limits.reconnectionDelayMax,
  reconnectionAttempts: limits.reconnectionAttempts,
};

/** A broadcast as it is handed on in the client: who sent it is the server's word. */
export interface ReceivedBroadcast<Channel extends BroadcastChannel> {
  sender: string;
  data: BroadcastData[Channel];
}

type ReceivedBroadcasts = {
  [Channel in BroadcastChannel as `broadcast(${Channel})`]: (event: ReceivedBroadcast<Channel>) => void;
};

export interface HeardEvents extends ServerEvents, ReceivedBroadcasts {
  /** The server ended the connection: signed out, or too many messages. It will not be tried again. */
  ended: () => void;
}

/** The part of a Socket.IO socket that is used here. */
export interface SocketLike {
  on(event: string, listener: (...args: never[]) => void): unknown;
  onAny(listener: (event: string, ...args: unknown[]) => void): unknown;
  emit(event: string, ...args: unknown[]): unknown;
  connect(): unknown;
  disconnect(): unknown;
}

/** Why there is no connection. Only the server's own refusal has a code; everything else Socket.IO tries again by itself. */
interface ConnectError {
  message: string;
  data?: { code?: unknown };
}

export type Realtime = ReturnType<typeof createRealtime>;

/** Only what is loaded on demand imports this file: the connection is no part of the first screen's code. */
const connectNow = (): Promise<SocketLike> => Promise.resolve(io(socketOptions));

export function createRealtime(connect: () => Promise<SocketLike> = connectNow) {
  const listeners = new Map<string, Set<(...args: unknown[]) => void>>();
  const watchers = new Set<() => void>();
  let socket: SocketLike | undefined;
  let isConnected = false;
  let refusal: string | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let opened = 0;
  let isClosing = false;

  function flag(connected: boolean, words?: string): void {
    if (connected === isConnected && words === refusal) return;
    isConnected = connected;
    refusal = words;
    for (const watcher of watchers) watcher();
  }

  function emitHere(name: string, ...args: unknown[]): void {
    for (const listener of Array.from(listeners.get(name) ?? [])) listener(...args);
  }

  function receive(event: string, ...args: unknown[]): void {
    if (event === "realtime_message_queue") return unpack(args[0]);
    const broadcast = parseBroadcastEvent(event);
    if (broadcast) return receiveBroadcast(broadcast, args[0]);
    if (event === "ready") flag(true);
    emitHere(event, ...args);
  }

  /** Another person wrote it: whatever is in it, it must not end in an error on this person's screen. */
  function receiveBroadcast({ sender, channel }: { sender: string; channel: BroadcastChannel }, given: unknown): void {
    const parsed = parseBroadcast(channel, given);
    if (!parsed) return logWarning(`A broadcast of ${sender} on ${channel} could not be read.`, given);
    try {
      emitHere(receivedBroadcast(channel), { sender, data: parsed.data });
    } catch (cause) {
      logWarning(`A broadcast of ${sender} on ${channel} could not be shown.`, cause);
    }
  }

  function onConnectError(made: SocketLike, { message, data }: ConnectError): void {
    if (data?.code === undefined) return;
    if (data.code === "not_signed_in") return emitHere("ended");
    // After a refusal Socket.IO does not try again. Slowly: the reason is gone when the person closes another tab.
    flag(false, message);
    clearTimeout(retry);
    retry = setTimeout(() => made.connect(), limits.refusedRetry);
  }

  function unpack(text: unknown): void {
    let payload: { action?: unknown; data?: unknown } | undefined;
    try {
      payload = (JSON.parse(String(text)) as { payload?: typeof payload } | null)?.payload;
    } catch (cause) {
      logWarning("A realtime message could not be read.", cause);
      return;
    }
    if (typeof payload?.action === "string") emitHere(payload.action, payload.data);
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
            flag(false);
            if (reason === "io server disconnect") emitHere("ended");
          });
        })
        .catch((cause: unknown) => logWarning("The realtime connection could not be loaded.", cause));
    },

    /** In a moment: those who go at the same time, and whom React lets go later, still have their leave to send. */
    close(): void {
      isClosing = true;
      queueMicrotask(() => {
        if (!isClosing) return;
        isClosing = false;
        opened += 1;
        clearTimeout(retry);
        socket?.disconnect();
        socket = undefined;
        flag(false);
      });
    },

    on<Name extends keyof HeardEvents>(name: Name, listener: HeardEvents[Name]): () => void {
      const own = listener as (...args: unknown[]) => void;
      const all = listeners.get(name) ?? new Set();
      listeners.set(name, all.add(own));
      return () => void all.delete(own);
    },

    /** While disconnected nothing is kept back: what was true before a break may not be true after it. */
    send<Name extends keyof ClientEvents>(name: Name, ...args: Parameters<ClientEvents[Name]>): void {
      if (isConnected) socket?.emit(name, ...args);
    },

    broadcast<Channel extends BroadcastChannel>(channel: Channel, data: BroadcastData[Channel]): void {
      if (isConnected) socket?.emit("broadcast", channel, data);
    },

    isConnected: () => isConnected,

    /** The words with which the server refused to connect, until it does. */
    refusal: () => refusal,

    watch(watcher: () => void): () => void {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}
