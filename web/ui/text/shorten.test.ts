import { expect, test } from "vitest";

import { shorten } from "./shorten.ts";

const home = { whole: 250, cut: 250, ending: "..." };
const browse = { whole: 250, cut: 160, ending: "…" };

test("text up to the limit stays whole", () => {
  expect(shorten("", home)).toBe("");
  expect(shorten("x".repeat(250), home)).toBe("x".repeat(250));
  expect(shorten("x".repeat(250), browse)).toBe("x".repeat(250));
});

test("longer text is cut and says so", () => {
  expect(shorten("x".repeat(251), home)).toBe(`${"x".repeat(250)}...`);
  expect(shorten("x".repeat(251), browse)).toBe(`${"x".repeat(160)}…`);
});

test("an emoji is one character and stays in one piece", () => {
  const family = "👩‍👩‍👧‍👦";
  expect(shorten(family.repeat(250), home)).toBe(family.repeat(250));
  expect(shorten(family.repeat(251), browse)).toBe(`${family.repeat(160)}…`);
});
