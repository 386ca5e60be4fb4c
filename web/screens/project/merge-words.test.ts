import { describe, expect, it } from "vitest";

import { changeWords, conflictWords, sideWords } from "./merge-words.ts";

const conflict = { id: "1", lineage: null, name: "Train", base: 1, theirs: 2, mine: 3 };

describe("the words of a merge", () => {
  it("counts what changes by kind", () => {
    const node = (change: "added" | "changed") => ({ lineage: "x", change, before: null, after: null, fields: [] });
    const edge = { change: "removed", before: null, after: null } as const;
    const words = changeWords({ nodes: [node("changed"), node("added"), node("changed")], edges: [edge], groups: [] });
    expect(words).toEqual(["1 node added", "2 nodes changed", "1 edge removed"]);
    expect(changeWords({ nodes: [], edges: [], groups: [] })).toEqual([]);
  });

  it("says what a conflict is about and what each side has", () => {
    const value = { ...conflict, kind: "value", field: "rate" } as const;
    expect(conflictWords(value)).toBe("value of rate");
    expect([sideWords(value, 0.5), sideWords(value, undefined)]).toEqual(["0.5", "not set"]);
    const deleted = { ...conflict, kind: "deleted", field: "" } as const;
    expect([sideWords(deleted, null), sideWords(deleted, {})]).toEqual(["removed", "kept, with changes"]);
    expect(conflictWords({ ...conflict, kind: "setting", field: "body.cpu" })).toBe("cpu");
  });
});
