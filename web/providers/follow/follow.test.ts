import type { ViewData } from "@miranda/contract/schemas/broadcasts.ts";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import type { Realtime } from "../../api/socket.ts";
import { createFollow, type Follow } from "./follow.ts";

type Listener = (event: { sender: string; data: unknown }) => void;

/** People in one workflow, who hear each other's broadcasts. */
function room(...names: string[]) {
  const listeners = new Map<string, Map<string, Listener>>();
  const sent: string[] = [];
  return names.map((me) => {
    const own = new Map<string, Listener>();
    listeners.set(me, own);
    const realtime = {
      on: (name: string, listener: Listener) => {
        own.set(name, listener);
        return () => own.delete(name);
      },
      broadcast: (channel: string, data: unknown) => {
        sent.push(`${me} ${channel}`);
        for (const [name, heard] of listeners)
          if (name !== me) heard.get(`broadcast(${channel})`)?.({ sender: me, data });
      },
    } as unknown as Realtime;
    const told: string[] = [];
    const seen: ViewData[] = [];
    const follow: Follow = createFollow({ realtime, me, tell: (text) => told.push(text) });
    follow.listen();
    const view: ViewData = { screen: "canvas", node: null, selected: [me.length] };
    follow.attachScreen({ read: () => view, show: (shown) => seen.push(shown) });
    return { follow, told, seen, sent, view };
  });
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("shows the view of the followed person at once and whenever it changes, until it is stopped", () => {
  const [ada, ben] = room("ada", "ben");
  ben?.follow.start("ada");
  expect(ben?.seen).toEqual([ada?.view]);
  ada?.follow.changed();
  vi.advanceTimersByTime(100);
  expect(ben?.seen).toHaveLength(2);
  ben?.follow.stop();
  ada?.follow.changed();
  vi.advanceTimersByTime(60_000);
  expect(ben?.seen).toHaveLength(2);
  // Nobody follows, so nobody sends.
  expect(ada?.sent.filter((one) => one === "ada view")).toHaveLength(2);
});

it("cannot go in a circle, of two or of three", () => {
  const [ada, ben, eve] = room("ada", "ben", "eve");
  ben?.follow.start("ada");
  ada?.follow.start("ben");
  expect(ada?.follow.get().following).toBe(null);
  expect(ada?.told).toEqual(["You cannot follow ben: ben is following you."]);
  eve?.follow.start("ben");
  // Eve follows Ben, who follows Ada: she sees what Ada sees.
  ada?.follow.changed();
  vi.advanceTimersByTime(100);
  expect(eve?.seen.at(-1)).toEqual(ada?.view);
  ada?.follow.start("eve");
  expect(ada?.follow.get().following).toBe(null);
  expect(ada?.told.at(-1)).toBe("You cannot follow eve: eve is following somebody who follows you.");
});

it("ends when the followed person leaves, and says so", () => {
  const [, ben] = room("ada", "ben");
  ben?.follow.start("ada");
  ben?.follow.present(new Set(["ada", "ben"]));
  expect(ben?.follow.get().following).toBe("ada");
  ben?.follow.present(new Set(["ben"]));
  expect(ben?.follow.get().following).toBe(null);
  expect(ben?.told).toEqual(["Stopped following: ada left."]);
});
