import { diffArrays } from "diff";
import { describe, expect, it } from "vitest";

import { createTextMerge } from "./merge-text.ts";

const { mergeLines, mergeWords } = createTextMerge(diffArrays);

const base = "a\nb\nc\nd\ne\nf\n";

/** The merged code with each conflict as base|theirs|mine in brackets. */
function merged(theirs: string, mine: string, from: string | undefined = base): string {
  return mergeLines(from, theirs, mine)
    .map((piece) => (typeof piece === "string" ? piece : `[${piece.base}|${piece.theirs}|${piece.mine}]`))
    .join("");
}

describe("mergeLines", () => {
  it("takes the side that changed", () => {
    expect(merged("a\nB\nc\nd\ne\nf\n", base)).toBe("a\nB\nc\nd\ne\nf\n");
    expect(merged(base, "a\nB\nc\nd\ne\nf\n")).toBe("a\nB\nc\nd\ne\nf\n");
  });

  it("merges hunks that do not touch", () => {
    expect(merged("a\nB\nc\nd\ne\nf\n", "a\nb\nc\nd\nx\ny\nf\n")).toBe("a\nB\nc\nd\nx\ny\nf\n");
    expect(merged("first\na\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\ne\nf\nlast\n")).toBe("first\na\nb\nc\nd\ne\nf\nlast\n");
    expect(merged("b\nc\nd\ne\nf\n", "a\nb\nc\nd\ne\n")).toBe("b\nc\nd\ne\n");
  });

  it("takes the same edit of both sides once", () => {
    expect(merged("a\nX\nc\nd\ne\nf\n", "a\nX\nc\nd\ne\nf\n")).toBe("a\nX\nc\nd\ne\nf\n");
    expect(merged("a\nX\nc\nd\ne\nf\n", "a\nX\nc\nd\ne\nF\n")).toBe("a\nX\nc\nd\ne\nF\n");
  });

  it("merges neighbouring lines of which each side edited some", () => {
    expect(merged("a\nB\nc\nd\ne\nf\n", "a\nb\nC\nd\ne\nf\n")).toBe("a\nB\nC\nd\ne\nf\n");
  });

  it("makes each place that both sides changed a conflict of its own", () => {
    expect(merged("a\nT\nc\nd\nT\nf\n", "a\nM\nc\nd\nM\nf\n")).toBe("a\n[b\n|T\n|M\n]c\nd\n[e\n|T\n|M\n]f\n");
  });

  it("makes overlapping hunks one conflict, and what one side only deleted a part of it", () => {
    expect(merged("a\nT\nT\nd\ne\nf\n", "a\nb\nM\nM\nM\ne\nf\n")).toBe("a\n[b\nc\nd\n|T\nT\nd\n|b\nM\nM\nM\n]e\nf\n");
    expect(merged("a\nb\nd\ne\nf\n", "a\nb\nC\nd\ne\nf\n")).toBe("a\nb\n[c\n||C\n]d\ne\nf\n");
  });

  it("makes different lines at the same place, or beside a changed line, a conflict", () => {
    expect(merged("a\nt\nb\nc\nd\ne\nf\n", "a\nm\nb\nc\nd\ne\nf\n")).toBe("a\n[|t\n|m\n]b\nc\nd\ne\nf\n");
    expect(merged("a\nB\nc\nd\ne\nf\n", "a\nb\nnew\nc\nd\ne\nf\n")).toBe("a\n[b\n|B\n|b\nnew\n]c\nd\ne\nf\n");
  });

  it("merges code without a last line end", () => {
    expect(merged("a\nm\nb\nc", "A\nm\nb", "a\nm\nb")).toBe("A\nm\nb\nc");
    expect(merged("x", "y", "")).toBe("[|x|y]");
    expect(merged("", "y", "x")).toBe("[x||y]");
  });

  it("makes every difference a conflict without a base", () => {
    const pieces = mergeLines(undefined, "a\nT\nc\nmore\n", "a\nM\nc\n");
    expect(pieces).toEqual([
      "a\n",
      { base: undefined, theirs: "T\n", mine: "M\n" },
      "c\n",
      { base: undefined, theirs: "more\n", mine: "" },
      "",
    ]);
  });

  it("makes texts that differ too much to compare one conflict, without their equal ends", () => {
    const lines = (name: string, count = 3_000) =>
      Array.from({ length: count }, (_, line) => `${name}${line}\n`).join("");
    const [conflict, ...others] = mergeLines(
      `first\n${lines("b")}last\n`,
      `first\n${lines("t")}last\n`,
      `first\n${lines("m")}last\n`,
    ).filter((piece) => typeof piece !== "string");
    expect(others).toEqual([]);
    expect(conflict).toEqual({ base: lines("b"), theirs: lines("t"), mine: lines("m") });
  });

  it("compares texts with very many lines only at their ends, and loses nothing", () => {
    const middle = "x\n".repeat(80_000);
    const text = (first: string, last: string) => `same\n${first}\n${middle}${last}\nsame\n`;
    const pieces = mergeLines(text("a", "z"), text("A", "z"), text("a", "Z"));
    expect(pieces.every((piece) => typeof piece === "string")).toBe(true);
    expect(pieces.map(String).join("")).toBe(text("A", "Z"));
    const both = mergeLines(text("a", "z"), text("A", "z"), text("B", "z"));
    expect(both).toEqual(["same\n", { base: "a\n", theirs: "A\n", mine: "B\n" }, `${middle}z\nsame\n`]);
    const alone = mergeLines(undefined, text("A", "z"), text("B", "z"));
    expect(alone).toEqual(["same\n", { base: undefined, theirs: "A\n", mine: "B\n" }, `${middle}z\nsame\n`]);
    // Without a last line end, and with one side shorter than the equal ends together.
    const [long, short] = ["x\n".repeat(80_000), "x\n".repeat(30_000)];
    expect(mergeLines(long, short, `${long}last`).length).toBeGreaterThan(0);
    expect(mergeLines(long, short, long)).toEqual([short]);
  });

  it("compares no more when the budget of the merge is used up", () => {
    const budget = { lines: 0 };
    const [theirs, mine] = ["A\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\ne\nF\n"];
    expect(mergeLines(base, theirs, mine, budget)).toEqual(["", "A\n", "b\nc\nd\ne\n", "F\n", ""]);
    expect(budget.lines).toBeLessThanOrEqual(0);
  });
});

describe("mergeWords", () => {
  it("merges different words of one line", () => {
    expect(mergeWords("the old key", "the new key", "the old keys")).toEqual(["the ", "new", " ", "keys", ""]);
    expect(mergeWords("one two", "one, two", "one two three")).toEqual(["", "one,", " two", " three", ""]);
  });

  it("makes words that both wrote at one place a conflict", () => {
    expect(mergeWords("plan", "plan BEN", "plan ADA")).toEqual([
      "plan",
      { base: "", theirs: " BEN", mine: " ADA" },
      "",
    ]);
    expect(mergeWords("the key", "a key", "my key")).toEqual(["", { base: "the", theirs: "a", mine: "my" }, " key"]);
  });
});
