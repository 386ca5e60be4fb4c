import type { BroadcastChannel } from "@miranda/contract/broadcast-channels.ts";
import { socket as limits } from "@miranda/contract/limits.ts";
import { io, type ManagerOptions, type Socket, type SocketOptions } from "socket.io-client";

import type { TestClient } from "./test-client.ts";
import type { TestServer } from "./test-server.ts";

/** A socket client that remembers every event it received. */
export class TestSocket {
  readonly received: { event: string; data: unknown }[] = [];
  readonly socket: Socket;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.onAny((event: string, data: unknown) => void this.received.push({ event, data }));
  }

  /** Sends an event and waits for the acknowledgement: null when it was accepted. */
  ask(event: string, ...args: unknown[]): Promise<string | null> {
    return this.socket.timeout(20_000).emitWithAck(event, ...args) as Promise<string | null>;
  }
  enter(graphId: string): Promise<string | null> {
    return this.ask("enter_project", graphId);
  }
  broadcast(channel: BroadcastChannel, data: unknown): Promise<string | null> {
    return this.ask("broadcast", channel, data);
  }

  all<T>(event: string): T[] {
    return this.received.filter((one) => one.event === event).map((one) => one.data as T);
  }

  /** The first such event, received or still to come. */
  async next<T>(event: string, matches: (data: T) => boolean = () => true): Promise<T> {
    const found = () => this.all<T>(event).find(matches);
    await until(() => found() !== undefined || this.socket.disconnected, `${event} did not come`);
    const data = found();
    if (data === undefined) throw new Error(`${event} did not come before the connection ended`);
    return data;
  }

  close(): void {
    this.socket.disconnect();
  }
}

export async function until(isTrue: () => boolean, failure: string, patience = 20_000): Promise<void> {
  for (const end = Date.now() + patience; !isTrue();) {
    if (Date.now() > end) throw new Error(failure);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

type Options = Partial<ManagerOptions & SocketOptions>;

function open(server: TestServer, client: TestClient, options: Options): Socket {
  const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  return io(server.url, {
    path: limits.path,
    transports: ["websocket"],
    reconnection: false,
    forceNew: true,
    ...options,
    extraHeaders: { ...(cookie && { cookie }), ...options.extraHeaders },
  });
}

/** Connected, and the server's ready event received. */
export async function connect(server: TestServer, client: TestClient, options: Options = {}): Promise<TestSocket> {
  const socket = new TestSocket(open(server, client, options));
  await new Promise<void>((resolve, reject) => {
    socket.socket.once("connect_error", reject);
    socket.socket.once("ready", resolve);
  });
  return socket;
}

/** The words with which a connection is refused. */
export async function refusalOf(server: TestServer, client: TestClient, options: Options = {}): Promise<string> {
  const socket = open(server, client, options);
  try {
    return await new Promise<string>((resolve, reject) => {
      socket.once("connect_error", (error) => resolve(error.message));
      socket.once("ready", () => reject(new Error("was not refused")));
    });
  } finally {
    socket.disconnect();
  }
}
