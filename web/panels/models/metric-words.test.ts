import { expect, test } from "vitest";

import { bestValue, metricWords } from "./metric-words.ts";

test("values are short, and those that are no number have a word", () => {
  expect(
    [0.123456789, 1e-9, 12, "NaN", "-Infinity", null, undefined].map((value) => metricWords(value as null)),
  ).toEqual(["0.12346", "1e-9", "12", "NaN", "-∞", "–", "–"]);
});

test("the best value depends on what the metric is called", () => {
  expect(bestValue("loss", [0.3, 0.1, "NaN", null])).toBe(0.1);
  expect(bestValue("accuracy", [0.3, 0.1, "Infinity"])).toBe(0.3);
  expect(bestValue("accuracy", [0.3, 0.3, null])).toBeUndefined();
});
