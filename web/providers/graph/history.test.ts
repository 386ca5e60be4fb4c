import { describe, expect, it } from "vitest";

import type { Command, UndoPart } from "@miranda/contract/graph/commands/command.ts";
import { contentOf, type GraphContent } from "@miranda/contract/graph/content.ts";
import { setValue } from "@miranda/contract/graph/edit-content.ts";
import { attribute, node, nodesByKey } from "@miranda/contract/graph/graph-samples.ts";
import { createHistory } from "./history.ts";

const empty = contentOf({
  nodes: nodesByKey(
    node(
      1,
      ["rate", "other"].map((name) => attribute(name, "RECEIVER_FIELD")),
    ),
  ),
  edges: [],
  groups: [],
});
const move = (x: number): UndoPart[] => [{ command: { type: "move", positions: { "1": { x, y: 0 } } }, left: empty }];
/** The undo of a value that was `before` and is `after` now. */
const set = (name: string, before: unknown, after: unknown): UndoPart[] => [
  { command: { type: "set", id: 1, name, value: before }, left: withValue(name, after) },
];
const withValue = (name: string, value: unknown): GraphContent => setValue(empty, 1, name, value);
const commands = (parts: readonly UndoPart[] | undefined): Command[] | undefined =>
  parts?.map(({ command }) => command);

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
    history.undone(move(30));
    history.record(move(3));
    expect(history.counts()).toEqual({ undo: 3, redo: 0 });
  });

  it("makes one step of what is typed into one field in a row", () => {
    let now = 0;
    const history = createHistory(() => now);
    history.record(set("rate", 1, 2));
    now = 1_500;
    history.record(set("rate", 2, 3));
    history.record(set("other", 2, 3));
    now = 5_000;
    history.record(set("other", 3, 4));
    expect(history.counts().undo).toBe(3);
    history.takeUndo();
    history.takeUndo();
    // The step restores the first value, and remembers the last one.
    expect(history.takeUndo()).toEqual([{ ...set("rate", 1, 3)[0] }]);
  });

  it("makes two steps when somebody else set the field in between", () => {
    const history = createHistory(() => 0);
    history.record(set("rate", 1, 2));
    history.record(set("rate", 7, 3));
    expect(commands(history.takeUndo())).toEqual(commands(set("rate", 7, 3)));
    expect(commands(history.takeUndo())).toEqual(commands(set("rate", 1, 2)));
  });

  it("forgets what the server refused, also where it was merged into the step before", () => {
    const history = createHistory(() => 0);
    const first = history.record(set("rate", 1, 2));
    const second = history.record(set("rate", 2, 3));
    const third = history.record(set("rate", 3, 4));
    second.forget();
    expect(history.counts().undo).toBe(1);
    third.forget();
    first.settle(withValue("rate", 20));
    expect(history.counts().undo).toBe(1);
    const moved = history.record(move(1));
    moved.forget();
    expect(history.counts().undo).toBe(1);
  });

  it("remembers what the server stored instead of what was sent", () => {
    const history = createHistory(() => 0);
    history.record(set("rate", 1, "5")).settle(withValue("rate", 5));
    expect(history.takeUndo()).toEqual(set("rate", 1, 5));
  });

  it("has an end", () => {
    const history = createHistory(() => 0);
    for (let at = 0; at < 500; at += 1) history.record(move(at));
    expect(history.counts().undo).toBe(200);
    expect(history.takeUndo()).toEqual(move(499));
  });
});
