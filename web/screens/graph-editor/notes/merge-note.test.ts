import { describe, expect, it } from "vitest";

import { mergeNote } from "./merge-note.ts";

describe("a note that two people changed", () => {
  it("has the changes of both, in different lines and in one line", () => {
    expect(mergeNote("one\ntwo\nthree", "ONE\ntwo\nthree", "one\ntwo\nTHREE").text).toBe("ONE\ntwo\nTHREE");
    expect(mergeNote("Ask Ada for the key", "Ask Ben for the key", "Ask Ada for the keys").text).toBe(
      "Ask Ben for the keys",
    );
  });

  it("has what both added at one place, one after the other", () => {
    expect(mergeNote("Plan", "Plan BEN", "Plan ADA MORE")).toEqual({ text: "Plan BEN ADA MORE", isConflict: false });
    expect(mergeNote("- a", "- a\n- b", "- a\n- c").text).toBe("- a\n- b\n- c");
  });

  it("has both versions when both changed the same words", () => {
    const both = { text: "Ask Ben\n\n---\n\nAsk Eve", isConflict: true };
    expect(mergeNote("Ask Ada", "Ask Ben", "Ask Eve")).toEqual(both);
    expect(mergeNote("", "Hello", "World")).toEqual({ text: "Hello\n\n---\n\nWorld", isConflict: true });
  });

  it("is not doubled when both wrote the same", () => {
    expect(mergeNote("a", "a b", "a b")).toEqual({ text: "a b", isConflict: false });
  });
});
