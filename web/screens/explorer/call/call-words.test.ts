import { expect, it } from "vitest";

import { inputWords, positionWords } from "./call-words.ts";

const field = (name: string, label: string) => ({
  ...{ name, label, help: "", kind: "str", control: null, required: false, default: null, min: null, max: null },
});

it("puts the inputs of a call in one line, in the order of the form", () => {
  const fields = [field("city", "City"), field("days", "Days")];
  const file = { file: "a".repeat(64), name: "tides.csv", size: 1, type: "" };
  expect(inputWords(fields, { table: file, days: 3, city: "Oslo" })).toBe("City: Oslo · Days: 3 · table: tides.csv");
  expect(inputWords(fields, {})).toBe("");
  expect(inputWords([], { a: true, b: null, c: [1], d: "", e: 1, f: 2 })).toBe(
    "a: Yes · b: – · c: [1] · d: – · and 2 more",
  );
});

it("says how many calls are ahead of it in the queue", () => {
  expect([null, 0, 1, 1200].map(positionWords)).toEqual([
    "It starts in a moment.",
    "Yours is the next run.",
    "1 run is ahead of yours.",
    "1,200 runs are ahead of yours.",
  ]);
});
