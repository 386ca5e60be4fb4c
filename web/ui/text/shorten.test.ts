import { expect, test } from "vitest";

import { shorten } from "./shorten.ts";

const home = { whole: 250, cut: 250, ending: "..." };
const browse = { whole: 250, cut: 160, ending: "…" };

test("keeps text up to the limit whole", () => {
  expect(shorten("", home)).toBe("");
  expect(shorten("x".repeat(250), home)).toBe("x".repeat(250));
  expect(shorten("x".repeat(250), browse)).toBe("x".repeat(250));
});

test("cuts longer text and adds the ending", () => {
  expect(shorten("x".repeat(251), home)).toBe(`${"x".repeat(250)}...`);
  expect(shorten("x".repeat(251), browse)).toBe(`${"x".repeat(160)}…`);
});

test("counts an emoji as one character and never splits it", () => {
  const family = "👩‍👩‍👧‍👦";
  expect(shorten(family.repeat(250), home)).toBe(family.repeat(250));
  expect(shorten(family.repeat(251), browse)).toBe(`${family.repeat(160)}…`);
});
