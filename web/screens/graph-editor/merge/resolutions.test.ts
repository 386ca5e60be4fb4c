import type { Conflict } from "@miranda/contract/schemas/versions.ts";
import { describe, expect, it } from "vitest";

import { conflictWords, decided, editedText, isEditable, parseTyped } from "./resolutions.ts";

function conflict(fields: Partial<Conflict>): Conflict {
  return {
    id: "c",
    kind: "value",
    lineage: null,
    name: "Train",
    field: "rate",
    base: 1,
    theirs: 2,
    mine: 3,
    ...fields,
  };
}

describe("what a person writes instead of choosing a side", () => {
  it("is text where both sides have text", () => {
    const text = conflict({ theirs: "fast", mine: "safe" });
    expect(editedText(text, "safe")).toBe("safe");
    expect(parseTyped(text, "5")).toEqual({ value: "5" });
  });

  it("is JSON where one side has another value", () => {
    expect(editedText(conflict({}), 3)).toBe("3");
    expect(parseTyped(conflict({}), "[1, 2]")).toEqual({ value: [1, 2] });
  });

  it("stays as typed, and resolves nothing, while it is no value", () => {
    const typed = parseTyped(conflict({}), "[1, ");
    expect(typed).toMatchObject({ typed: "[1, " });
    expect(decided([conflict({})], new Map([["c", typed]]))).toEqual({});
  });
});

describe("decisions", () => {
  it("count only for conflicts that are still there", () => {
    const decisions = new Map([
      ["c", "theirs" as const],
      ["gone", "mine" as const],
    ]);
    expect(decided([conflict({}), conflict({ id: "d" })], decisions)).toEqual({ c: "theirs" });
  });

  it("about a whole node, connection or group choose a side", () => {
    expect(isEditable(conflict({ kind: "deleted", field: "" }))).toBe(false);
    expect(isEditable(conflict({ kind: "edge", field: "" }))).toBe(false);
    expect(isEditable(conflict({ kind: "edge", field: "label" }))).toBe(true);
    expect(isEditable(conflict({ kind: "code", field: "1" }))).toBe(true);
  });

  it("are named by what is in conflict", () => {
    expect(conflictWords(conflict({ kind: "code", field: "2" }))).toBe("Code, part 2");
    expect(conflictWords(conflict({ kind: "setting", field: "git_branch" }))).toBe("Git branch");
    expect(conflictWords(conflict({ kind: "deleted", field: "" }))).toBe("Deleted on one side");
  });
});
