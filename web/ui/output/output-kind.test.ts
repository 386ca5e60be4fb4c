import { describe, expect, it } from "vitest";

import { chartPoints, outputOf, valueOutput } from "./output-kind.ts";

describe("the shown form of an output", () => {
  it.each([
    [
      "a picture",
      { "image/png": "aGk=", "text/plain": "x" },
      { kind: "image", address: "data:image/png;base64,aGk=", isDrawing: false },
    ],
    [
      "a drawing",
      { "image/svg+xml": "<svg/>" },
      { kind: "image", address: "data:image/svg+xml,%3Csvg%2F%3E", isDrawing: true },
    ],
    ["a number", { "text/plain": "4.5e3" }, { kind: "number", number: 4_500 }],
    ["a number of JSON", { "application/json": 3 }, { kind: "number", number: 3 }],
    ["text", { "text/plain": "12 tides" }, { kind: "text", text: "12 tides" }],
    ["HTML", { "text/html": "<b>x</b>", "text/plain": "x" }, { kind: "html", html: "<b>x</b>" }],
    ["an object", { "application/json": { a: 1 } }, { kind: "json", value: { a: 1 } }],
    ["nothing", {}, { kind: "text", text: "" }],
  ])("shows %s", (_what, data, expected) => {
    expect(outputOf(data)).toEqual(expected);
  });

  it("puts no invalid picture data into an address", () => {
    expect(outputOf({ "image/png": '"><script>', "text/plain": "x" })).toEqual({ kind: "text", text: "x" });
  });

  it("shows rows as a table with all their columns, and numbers as a chart", () => {
    expect(valueOutput([{ a: 1 }, { b: 2 }])).toMatchObject({
      kind: "table",
      table: {
        columns: [{ name: "a" }, { name: "b" }],
        rows: [
          [1, undefined],
          [undefined, 2],
        ],
      },
    });
    expect(valueOutput([1, 2, 3])).toEqual({ kind: "chart", values: [1, 2, 3] });
    expect(valueOutput([1, "2"])).toMatchObject({ kind: "json" });
  });
});

it("fits a chart into its box, whatever its values", () => {
  expect(chartPoints([0, 10], 100, 50)).toBe("0.0,50.0 100.0,0.0");
  expect(chartPoints([5, Number.NaN, 5], 10, 10)).not.toContain("NaN");
});
