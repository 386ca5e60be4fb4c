import type { Skipped } from "@miranda/contract/graph/commands/command.ts";
import { expect, it } from "vitest";

import { skippedWords } from "./undo-words.ts";

const moved = (id: number): Skipped => {
  const part = { type: "field", id, field: "position" } as const;
  return { part, why: "changed", names: [`Node ${id}`], differs: [part] };
};

it("names at most three parts of each person, and counts the rest", () => {
  const one = [1, 2, 3, 4, 5].map(moved);
  expect(skippedWords(one, () => "mara", "undo", false)).toBe(
    "mara moved “Node 1”, “Node 2”, “Node 3” and 2 more since. They were not undone.",
  );
});

it("names each person with what they changed", () => {
  const by = (parts: Skipped["differs"]) => (parts.some((part) => "id" in part && part.id === 1) ? "mara" : undefined);
  expect(skippedWords([moved(1), moved(2)], by, "redo", false)).toBe(
    "mara moved “Node 1” since. Somebody moved “Node 2” since. They were not redone.",
  );
});

it("names a part once, however often it was met", () => {
  expect(skippedWords([moved(1), moved(1)], () => "mara", "undo", false)).toBe(
    "mara moved “Node 1” since. It was not undone.",
  );
});

it("says that the rest was undone, when there is a rest", () => {
  expect(skippedWords([moved(1)], () => "mara", "undo", true)).toBe(
    "mara moved “Node 1” since. It was not undone. The rest was.",
  );
});
