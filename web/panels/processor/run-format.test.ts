import { expect, it } from "vitest";

import { durationWords, shareWords } from "./run-words.ts";

it.each([
  [0.000_012, "12 µs"],
  [0.25, "250 ms"],
  [3.04, "3.0 s"],
  [62, "1 min 2 s"],
  [7_320, "2 h 2 min"],
])("%s seconds are %s", (seconds, words) => {
  expect(durationWords(seconds)).toBe(words);
});

it.each([
  [0, "0 %"],
  [0.004, "< 1 %"],
  [0.334, "33 %"],
  [1, "100 %"],
])("a share of %s is %s", (share, words) => {
  expect(shareWords(share)).toBe(words);
});
