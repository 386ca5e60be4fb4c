import { expect, it } from "vitest";

import { durationText, runningDurationText } from "./duration-text.ts";

it.each([
  [0, "0 s"],
  [-3, "0 s"],
  [Number.NaN, "0 s"],
  [1e-9, "1 µs"],
  [0.000_012, "12 µs"],
  [0.000_999_9, "1 ms"],
  [0.25, "250 ms"],
  [0.4, "400 ms"],
  [0.9996, "1.0 s"],
  [3.04, "3.0 s"],
  [53.4, "53.4 s"],
  [59.94, "59.9 s"],
  [59.95, "1 min 0 s"],
  [62, "1 min 2 s"],
  [71, "1 min 11 s"],
  [119.6, "2 min 0 s"],
  [3_599.6, "1 h 0 min"],
  [7_320, "2 h 2 min"],
  [7_199.5, "2 h 0 min"],
  [10_800, "3 h 0 min"],
  [100_000, "27 h 47 min"],
])("writes %s seconds as %s", (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});

it.each([
  [-3, "0 s"],
  [4.7, "4 s"],
  [59.95, "59 s"],
  [71.9, "1 min 11 s"],
])("writes %s seconds so far as %s", (seconds, text) => {
  expect(runningDurationText(seconds)).toBe(text);
});
