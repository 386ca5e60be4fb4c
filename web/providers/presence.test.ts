import type { Member } from "@miranda/contract/schemas/members.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Realtime } from "../api/socket.ts";
import { attend } from "./presence.ts";

function member(id: string, username: string): Member {
  return { id, username, email: `${username}@example.org`, first_name: "", last_name: "", avatar: null };
}

function fakeRealtime() {
  const listeners = new Map<string, (event: unknown) => void>();
  const sent: unknown[][] = [];
  let accept: ((refusal: string | null, code?: string) => void) | undefined;
  const realtime = {
    on: (name: string, listener: (event: unknown) => void) => {
      listeners.set(name, listener);
      return () => listeners.delete(name);
    },
    send: (name: string, graphId: string, acknowledge?: typeof accept) => {
      sent.push([name, graphId]);
      accept = acknowledge ?? accept;
    },
    watch: () => () => undefined,
    isConnected: () => true,
  } as unknown as Realtime;
  return {
    realtime,
    sent,
    emit: (name: string, event?: unknown) => listeners.get(name)?.(event),
    entered: () => accept?.(null),
    refused: (words: string, code: string) => accept?.(words, code),
  };
}

const ignore = () => undefined;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("being in a graph", () => {
  it("S4-014 S7-090 S4-015 enters, renews every 15 s, and leaves", () => {
    const { realtime, sent } = fakeRealtime();
    const stop = attend({ graphId: "g", realtime, onMembers: ignore, onEntered: ignore, onMissing: ignore });
    expect(sent).toEqual([["enter_project", "g"]]);
    vi.advanceTimersByTime(14_999);
    expect(sent).toHaveLength(1);
    vi.advanceTimersByTime(20_001);
    expect(sent.slice(1)).toEqual([
      ["renew_project_presence", "g"],
      ["renew_project_presence", "g"],
    ]);
    stop();
    expect(sent.at(-1)).toEqual(["leave_project", "g"]);
    vi.advanceTimersByTime(60_000);
    expect(sent).toHaveLength(4);
  });

  it("enters again after a reconnect, and reports it", () => {
    const { realtime, sent, emit, entered } = fakeRealtime();
    const onEntered = vi.fn<() => void>();
    attend({ graphId: "g", realtime, onMembers: ignore, onEntered, onMissing: ignore });
    entered();
    emit("ready");
    entered();
    expect(sent.filter(([name]) => name === "enter_project")).toHaveLength(2);
    expect(onEntered).toHaveBeenCalledTimes(2);
  });

  it("says that the workflow is gone, and nothing of other refusals", () => {
    const { realtime, refused } = fakeRealtime();
    const missing: string[] = [];
    attend({ graphId: "g", realtime, onMembers: ignore, onEntered: ignore, onMissing: (words) => missing.push(words) });
    refused("Too many connections.", "too_many_connections");
    refused("Workflow not found.", "graph_not_found");
    expect(missing).toEqual(["Workflow not found."]);
  });

  it("S4-016 S4-017 S4-018 S7-094 to S7-096 keeps members sorted and unique, and clears them on leaving", () => {
    const { realtime, emit } = fakeRealtime();
    const seen: string[][] = [];
    const stop = attend({
      graphId: "g",
      realtime,
      onMembers: (members) => seen.push(members.map(({ username }) => username)),
      onEntered: ignore,
      onMissing: ignore,
    });
    emit("project_members", { members: [member("2", "zoe"), member("1", "ada"), member("2", "zoe")] });
    emit("entered_project", { user: member("3", "ben") });
    emit("entered_project", { user: member("3", "ben") });
    emit("left_project", { user: member("1", "ada") });
    stop();
    expect(seen).toEqual([["ada", "zoe"], ["ada", "ben", "zoe"], ["ada", "ben", "zoe"], ["ben", "zoe"], []]);
  });
});
