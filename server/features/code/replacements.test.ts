import { expect, it } from "vitest";

import { replacements } from "./replacements.ts";

function apply(before: string, after: string): string {
  return replacements(before, after).reduceRight(
    (text, { from, remove, insert }) => text.slice(0, from) + insert + text.slice(from + remove),
    before,
  );
}

it("keeps the lines between two changes", () => {
  const before = "a = 1\nb = 2\nc = 3\nd = 4\n";
  const after = "a = 10\nb = 2\nc = 3\nd = 40\n";
  expect(replacements(before, after)).toEqual([
    { from: 5, remove: 0, insert: "0" },
    { from: 23, remove: 0, insert: "0" },
  ]);
  expect(replacements(before, before)).toEqual([]);
});

it.each([
  ["", "a\n"],
  ["a\n", ""],
  ["a\nb", "b"],
  ["a\nb\n", "b\na\n"],
  ["one\ntwo\nthree", "zero\none\n\nthree\nfour"],
  ["😀\nb\n", "😁\nb\nc"],
  ["x\n".repeat(2_000), "y\n".repeat(2_000)],
])("makes one text from another", (before, after) => {
  expect(apply(before, after)).toBe(after);
});
