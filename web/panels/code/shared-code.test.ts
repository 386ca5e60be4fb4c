import { type ErrorCode, errors } from "@miranda/contract/errors.ts";
import type { Acknowledge } from "@miranda/contract/events.ts";
import * as Y from "yjs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Realtime } from "../../api/socket.ts";
import { createSharedCode } from "./shared-code.ts";

type Listener = (...args: unknown[]) => void;

/** The server's side: one document, which can be disconnected. */
function fakeServer() {
  const listeners = new Map<string, Set<Listener>>();
  const doc = new Y.Doc();
  doc.getText("code").insert(0, "one\n");
  let connected = true;
  let epoch = "first";
  let refusal: ErrorCode | undefined;
  const sent: string[] = [];
  const emit = (name: string, event: unknown) => listeners.get(name)?.forEach((listener) => listener(event));

  const realtime = {
    isConnected: () => connected,
    watch: () => () => undefined,
    on: (name: string, listener: Listener) => {
      const all = listeners.get(name) ?? new Set();
      listeners.set(name, all.add(listener));
      return () => void all.delete(listener);
    },
    send: (name: string, ...args: unknown[]) => {
      if (!connected) return;
      sent.push(name);
      const acknowledge = args.at(-1) as Acknowledge;
      if (name === "code_open") {
        const [, known, vector] = args as [number, string | null, Uint8Array | null];
        const update = Y.encodeStateAsUpdate(doc, known === epoch && vector ? vector : undefined);
        emit("code_document", { metadata_id: 7, epoch, update, vector: Y.encodeStateVector(doc) });
        acknowledge(null);
      } else if (name === "code_update") {
        if (!refusal) Y.applyUpdate(doc, args[2] as Uint8Array);
        acknowledge(refusal ? errors[refusal] : null, refusal);
      }
    },
  } as unknown as Realtime;

  return {
    realtime,
    doc,
    sent,
    emit,
    text: () => doc.getText("code").toJSON(),
    cut: () => void (connected = false),
    join: () => {
      connected = true;
      emit("project_members", { members: [] });
    },
    startAnew: (text: string) => {
      epoch = "second";
      doc.transact(() => {
        doc.getText("code").delete(0, doc.getText("code").length);
        doc.getText("code").insert(0, text);
      });
    },
    refuse: (code?: ErrorCode) => void (refusal = code),
  };
}

const large = vi.fn<(id: number, epoch: string, update: Uint8Array) => Promise<void>>();
let server: ReturnType<typeof fakeServer>;
let mayWrite = true;
const open = () =>
  createSharedCode({
    metadataId: 7,
    realtime: server.realtime,
    sendLarge: large,
    unsent: {
      keep: (_id, epoch, update) => void kept.set(epoch, update),
      take: (_id, epoch) => {
        const update = kept.get(epoch);
        kept.delete(epoch);
        return update;
      },
      onLeave: (listener) => {
        leave = listener;
        return () => undefined;
      },
    },
    mayWrite: () => mayWrite,
  });
const kept = new Map<string, Uint8Array>();
let leave: () => void = () => undefined;
const type = (code: ReturnType<typeof open>, at: number, text: string) => code.state().live?.text.insert(at, text);

beforeEach(() => {
  vi.useFakeTimers();
  server = fakeServer();
  mayWrite = true;
  large.mockReset();
  kept.clear();
});
afterEach(() => vi.useRealTimers());

describe("shared code", () => {
  it("keeps unsent text of a closed page for the next one, but never for another document", () => {
    const code = open();
    server.cut();
    type(code, 0, "late ");
    leave();
    // The page is closed, and its document with it.
    void code.close(0);
    server.join();
    expect(server.text()).toBe("one\n");
    const next = open();
    vi.advanceTimersByTime(1_000);
    expect([next.text(), server.text()]).toEqual(["late one\n", "late one\n"]);
    expect(kept.size).toBe(0);
    server.cut();
    type(next, 0, "lost ");
    leave();
    void next.close(0);
    server.startAnew("anew\n");
    server.join();
    const other = open();
    vi.advanceTimersByTime(1_000);
    expect(other.text()).toBe("anew\n");
  });

  it("has the server's text and sends what is typed", () => {
    const code = open();
    expect(code.text()).toBe("one\n");
    type(code, 0, "a");
    type(code, 1, "b");
    expect(code.state().isSent).toBe(false);
    vi.advanceTimersByTime(100);
    expect(server.text()).toBe("abone\n");
    expect(code.state().isSent).toBe(true);
    expect(server.sent.filter((name) => name === "code_update")).toHaveLength(1);
    void code.close(0);
  });

  it("keeps what is typed while disconnected, and sends it once after", () => {
    const code = open();
    server.cut();
    type(code, 0, "offline ");
    vi.advanceTimersByTime(5_000);
    server.doc.getText("code").insert(4, "other\n");
    server.join();
    vi.advanceTimersByTime(100);
    expect(code.text()).toBe("offline one\nother\n");
    expect(server.text()).toBe("offline one\nother\n");
    expect(code.state().isSent).toBe(true);
    void code.close(0);
  });

  it("retries after a rate limit", () => {
    const code = open();
    server.refuse("too_many_messages");
    type(code, 0, "a");
    vi.advanceTimersByTime(100);
    expect(code.state().isSent).toBe(false);
    server.refuse();
    vi.advanceTimersByTime(2_000);
    expect(server.text()).toBe("aone\n");
    void code.close(0);
  });

  it("never doubles a text whose document was replaced, and offers the unsent text instead", () => {
    const code = open();
    server.cut();
    type(code, 0, "mine ");
    server.startAnew("two\n");
    server.join();
    expect(code.text()).toBe("two\n");
    expect(code.state().leftover).toBe("mine one\n");
    void code.close(0);
  });

  it("gives the server's reason for a refusal and keeps the text", () => {
    const code = open();
    server.refuse("node_locked");
    type(code, 0, "x");
    vi.advanceTimersByTime(100);
    expect(code.state().refusal).toBe("This node is locked.");
    expect(code.text()).toBe("xone\n");
    void code.close(0);
  });

  it("sends a change that is too large for the socket by a call", async () => {
    large.mockResolvedValue();
    const code = open();
    type(code, 0, "x".repeat(300_000));
    await vi.advanceTimersByTimeAsync(100);
    expect(large).toHaveBeenCalledOnce();
    expect(code.state().isSent).toBe(true);
    void code.close(0);
  });

  it("sends nothing for a reader", () => {
    mayWrite = false;
    const code = open();
    type(code, 0, "x");
    vi.advanceTimersByTime(1_000);
    expect(server.sent.filter((name) => name !== "code_open")).toEqual([]);
    void code.close(0);
  });

  it("replaces the text, and can undo that", () => {
    const code = open();
    code.setText("one\ntwo\n");
    expect(code.text()).toBe("one\ntwo\n");
    code.state().live?.undo.undo();
    expect(code.text()).toBe("one\n");
    void code.close(0);
  });
});
