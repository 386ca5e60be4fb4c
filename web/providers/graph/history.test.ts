import { describe, expect, it } from "vitest";

import type { Command } from "@miranda/contract/graph/commands/command.ts";
import { createHistory } from "./history.ts";

const move = (x: number): Command => ({ type: "move", positions: { "1": { x, y: 0 } } });
const set = (name: string, value: unknown): Command => ({ type: "set", id: 1, name, value });

describe("undo and redo", () => {
  it("takes back the last first, and forgets what could be redone once something new is done", () => {
    const history = createHistory(() => 0);
    history.record(move(1));
    history.record(move(2));
    expect(history.takeUndo()).toEqual(move(2));
    history.undone(move(20));
    expect(history.counts()).toEqual({ undo: 1, redo: 1 });
    expect(history.takeRedo()).toEqual(move(20));
    history.redone(move(2));
    history.record(move(3));
    expect(history.counts()).toEqual({ undo: 3, redo: 0 });
  });

  it("makes one step of what is typed into one field in a row", () => {
    let now = 0;
    const history = createHistory(() => now);
    history.record(set("rate", 1));
    now = 1_500;
    history.record(set("rate", 2));
    history.record(set("other", 2));
    now = 5_000;
    history.record(set("other", 3));
    expect(history.counts().undo).toBe(3);
    history.takeUndo();
    history.takeUndo();
    expect(history.takeUndo()).toEqual(set("rate", 1));
  });

  it("has an end", () => {
    const history = createHistory(() => 0);
    for (let at = 0; at < 500; at += 1) history.record(move(at));
    expect(history.counts().undo).toBe(200);
    expect(history.takeUndo()).toEqual(move(499));
  });
});
