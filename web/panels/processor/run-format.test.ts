import { expect, it } from "vitest";

import { formatDuration, formatShare } from "./run-format.ts";

it.each([
  [0.000_012, "12 µs"],
  [0.25, "250 ms"],
  [3.04, "3.0 s"],
  [62, "1 min 2 s"],
  [7_320, "2 h 2 min"],
])("formats %s seconds as %s", (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});

it.each([
  [0, "0 %"],
  [0.004, "< 1 %"],
  [0.334, "33 %"],
  [1, "100 %"],
])("formats a share of %s as %s", (share, text) => {
  expect(formatShare(share)).toBe(text);
});
