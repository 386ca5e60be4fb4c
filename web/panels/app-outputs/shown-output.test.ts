import { expect, it } from "vitest";

import { shownOutput } from "./shown-output.ts";

it.each([
  ["Markdown", { "text/markdown": "# Hi", "text/plain": "Hi" }, { kind: "markdown", text: "# Hi" }],
  ["yes or no", { "application/json": true }, { kind: "answer", text: "Yes" }],
  ["nothing", { "application/json": null, "text/plain": "None" }, { kind: "answer", text: "Nothing" }],
  ["a number", { "application/json": 4 }, { kind: "number", number: 4 }],
  ["a text", { "application/json": "calm" }, { kind: "text", text: "calm" }],
  ["a text about drawings", { "application/json": "<svg> is a tag" }, { kind: "text", text: "<svg> is a tag" }],
  [
    "a drawing that was sent as text",
    { "application/json": '<svg xmlns="http://www.w3.org/2000/svg"></svg>' },
    {
      kind: "image",
      address: "data:image/svg+xml,%3Csvg%20xmlns%3D%22http%3A%2F%2Fwww.w3.org%2F2000%2Fsvg%22%3E%3C%2Fsvg%3E",
      isDrawing: true,
    },
  ],
  [
    "a few named values",
    { "application/json": { mean: 2.5, place: "Bay" } },
    {
      kind: "facts",
      facts: [
        { name: "mean", value: 2.5 },
        { name: "place", value: "Bay" },
      ],
    },
  ],
  ["nested values", { "application/json": { a: { b: 1 } } }, { kind: "json", value: { a: { b: 1 } } }],
  ["only a file", { "application/vnd.miranda.file+json": {}, "text/plain": "a.csv" }, { kind: "file" }],
])("shows %s", (_what, data, expected) => {
  expect(shownOutput(data)).toEqual(expected);
});
