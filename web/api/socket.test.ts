import type { BroadcastChannel } from "@miranda/contract/broadcast-channels.ts";
import { socket as limits } from "@miranda/contract/limits.ts";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { createRealtime, socketOptions, type SocketLike } from "./socket.ts";

function fakeSocket() {
  const listeners = new Map<string, (...args: never[]) => void>();
  let any: (event: string, ...args: unknown[]) => void = () => undefined;
  const emitted: unknown[][] = [];
  const socket: SocketLike = {
    on: (event, listener) => listeners.set(event, listener),
    onAny: (listener) => {
      any = listener;
    },
    emit: (...args) => emitted.push(args),
    connect: vi.fn<() => void>(),
    disconnect: vi.fn<() => void>(),
  };
  return {
    socket,
    emitted,
    receive: (event: string, ...args: unknown[]) => any(event, ...args),
    refuse: (error: { message: string; data?: { code: string } }) =>
      listeners.get("connect_error")?.(...([error] as never[])),
    drop: (reason: string) => listeners.get("disconnect")?.(...([reason] as never[])),
  };
}

async function connected() {
  const fake = fakeSocket();
  const realtime = createRealtime(async () => fake.socket);
  realtime.open();
  await Promise.resolve();
  await Promise.resolve();
  return { ...fake, realtime };
}

beforeEach(() => {
  vi.restoreAllMocks();
});

describe("the realtime connection", () => {
  it("S7-086 to S7-089 uses the path, transports and reconnection delays of the specification", () => {
    expect(socketOptions).toEqual({
      path: "/ws/socket.io",
      transports: ["websocket", "polling"],
      reconnectionDelay: 1_000,
      reconnectionDelayMax: 5_000,
      reconnectionAttempts: Number.POSITIVE_INFINITY,
    });
    expect(limits.presenceRenewal).toBe(15_000);
  });

  it("S7-125 is connected only after the ready event", async () => {
    const { realtime, receive, drop } = await connected();
    const changes: boolean[] = [];
    realtime.watch(() => changes.push(realtime.isConnected()));
    expect(realtime.isConnected()).toBe(false);
    receive("ready");
    expect(realtime.isConnected()).toBe(true);
    drop("transport close");
    expect(realtime.isConnected()).toBe(false);
    expect(changes).toEqual([true, false]);
  });

  it("S7-091 S7-092 sends broadcasts and other events by name and arguments, and nothing while disconnected", async () => {
    const { realtime, receive, emitted } = await connected();
    realtime.broadcast("selection", { metadata_ids: [1] });
    expect(emitted).toEqual([]);
    receive("ready");
    realtime.broadcast("selection", { metadata_ids: [1] });
    realtime.send("enter_project", "graph");
    expect(emitted).toEqual([
      ["broadcast", "selection", { metadata_ids: [1] }],
      ["enter_project", "graph"],
    ]);
  });

  it("S7-093 re-emits the content of realtime_message_queue as an event", async () => {
    const { realtime, receive } = await connected();
    const listener = vi.fn<(event: unknown) => void>();
    realtime.on("status", listener);
    receive("realtime_message_queue", JSON.stringify({ payload: { action: "status", data: { metadata_id: 5 } } }));
    expect(listener).toHaveBeenCalledWith({ metadata_id: 5 });
  });

  it("S8-007 only warns about a message that it cannot parse", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const { receive } = await connected();
    receive("realtime_message_queue", "{");
    receive("realtime_message_queue", "null");
    receive("realtime_message_queue", '{"payload":{}}');
    expect(warn).toHaveBeenCalledTimes(3);
  });

  it("S7-097 re-emits broadcasts with sender and data", async () => {
    const { realtime, receive } = await connected();
    const listener = vi.fn<(event: unknown) => void>();
    const stop = realtime.on("broadcast(selection)", listener);
    receive("broadcast<ada>(selection)", { metadata_ids: [3] });
    expect(listener).toHaveBeenCalledExactlyOnceWith({ sender: "ada", data: { metadata_ids: [3] } });
    stop();
    receive("broadcast<ada>(selection)", { metadata_ids: [] });
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it.each([
    ["null", "selection", null],
    ["a text where numbers belong", "selection", { metadata_ids: ["1"] }],
    ["an edge without ends", "create[edge]", {}],
    ["bytes as a value", "update[attribute]", { metadata_id: 1, name: "a", value: new ArrayBuffer(8) }],
    ["a node that has only a number", "create[wob]", { metadata_id: 1 }],
  ])("only warns about a broadcast with %s", async (_what, channel, data) => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const { realtime, receive } = await connected();
    const listener = vi.fn<(event: unknown) => void>();
    realtime.on(`broadcast(${channel as BroadcastChannel})`, listener);
    receive(`broadcast<eve>(${channel})`, data);
    expect(listener).not.toHaveBeenCalled();
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it("passes on only the fields of a broadcast that its channel has", async () => {
    const { realtime, receive } = await connected();
    const listener = vi.fn<(event: unknown) => void>();
    realtime.on("broadcast(delete[wob])", listener);
    receive("broadcast<eve>(delete[wob])", { metadata_id: 3, extra: "x" });
    expect(listener).toHaveBeenCalledExactlyOnceWith({ sender: "eve", data: { metadata_id: 3 } });
  });

  it("only warns when a listener fails on a broadcast", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const { realtime, receive } = await connected();
    realtime.on("broadcast(delete[wob])", () => {
      throw new Error("cannot be drawn");
    });
    receive("broadcast<eve>(delete[wob])", { metadata_id: 3 });
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it("reconnects half a minute after a refusal, and gives the reason until then", async () => {
    vi.useFakeTimers();
    const { realtime, receive, refuse, socket } = await connected();
    const refusals: (string | undefined)[] = [];
    realtime.watch(() => refusals.push(realtime.refusal()));
    refuse({ message: "You have too many connections. Close some tabs.", data: { code: "too_many_connections" } });
    await vi.advanceTimersByTimeAsync(29_000);
    expect(socket.connect).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(socket.connect).toHaveBeenCalledTimes(1);
    receive("ready");
    expect(refusals).toEqual(["You have too many connections. Close some tabs.", undefined]);
    vi.useRealTimers();
  });

  it("lets Socket.IO retry a failed connection, and reports when the person is no longer signed in", async () => {
    vi.useFakeTimers();
    const { realtime, refuse, socket } = await connected();
    const ended = vi.fn<() => void>();
    realtime.on("ended", ended);
    refuse({ message: "websocket error" });
    expect([realtime.refusal(), ended.mock.calls.length]).toEqual([undefined, 0]);
    refuse({ message: "You are not signed in.", data: { code: "not_signed_in" } });
    expect(ended).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(socket.connect).not.toHaveBeenCalled();
    vi.useRealTimers();
  });

  it("reports when the server has closed the connection for good", async () => {
    const { realtime, receive, drop } = await connected();
    const ended = vi.fn<() => void>();
    realtime.on("ended", ended);
    receive("ready");
    drop("transport close");
    expect(ended).not.toHaveBeenCalled();
    drop("io server disconnect");
    expect(ended).toHaveBeenCalledTimes(1);
  });
});
