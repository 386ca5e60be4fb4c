import { expect, test } from "vitest";

import type { Attribute, Control } from "../../schemas/attributes.ts";
import { attribute } from "../graph-samples.ts";
import { fieldProblem, problemsOf } from "./field-problem.ts";

const field = (kind: string, control: Control | null, value: unknown, more: Partial<Attribute> = {}): Attribute =>
  attribute("by", "RECEIVER_FIELD", { kind, control, value, default: null, ...more });

test.each<[string, Attribute, string | undefined]>([
  [
    "text that is no JSON",
    field("list", { type: "json" }, { $unfit: "Stadt" }),
    'by must be JSON, such as "Stadt" or ["Stadt"].',
  ],
  ["text in a number", field("int", null, { $unfit: "seven" }), "by must be a whole number, not “seven”."],
  ["an emptied number", field("int", null, { $unfit: " " }, { default: 3 }), "by must be a whole number, not empty."],
  [
    "a number above the limit",
    field("float", { type: "number", max: 1 }, 2),
    "by must be a number of at most 1, not “2”.",
  ],
  [
    "an option that is gone",
    field("str", { type: "select", options: ["a", 2] }, "b"),
    "by must be one of a, 2, not “b”.",
  ],
  [
    "a slider that holds text",
    field("int", { type: "slider", min: 0, max: 9 }, "x"),
    "by must be a whole number from 0 to 9, not “x”.",
  ],
  [
    "a switch that holds text",
    field("bool", { type: "toggle" }, "perhaps"),
    "by must be true or false, not “perhaps”.",
  ],
  [
    "a file that is none",
    field("any", { type: "file" }, { name: "a.csv" }),
    'by must be a file that was uploaded, not “{"name":"a.csv"}”.',
  ],
  [
    "text that the code can read now",
    field("str", { type: "text" }, { $unfit: "5" }),
    "by could not be read when it was typed. Type it again.",
  ],
  ["a text in a JSON field", field("any", { type: "json" }, "Stadt"), undefined],
  ["no file", field("any", { type: "file" }, null), undefined],
  ["what the code declares", field("int", { type: "number" }, "x", { default: "x" }), undefined],
  ["a value that nobody set", attribute("by", "RECEIVER_FIELD", { kind: "int", value: "x" }), undefined],
  ["a value that an edge decides", field("int", null, { $unfit: "x" }, { is_connected: true }), undefined],
  [
    "a constant",
    { ...field("int", null, { $unfit: "x" }), direction: "TRANSMITTER_FIELD" },
    "by must be a whole number, not “x”.",
  ],
  ["a policy", field("compute_policy", null, 5), undefined],
])("%s", (_what, given, words) => {
  expect(fieldProblem(given)).toBe(words);
});

test("names every field that is wrong, and finds it once", () => {
  const api = {
    ...{ compiled: true, error: null, disabled: false },
    attributes: [field("int", null, { $unfit: "x" }), { ...field("bool", null, { $unfit: "y" }), name: "loud" }],
  };
  expect(problemsOf({ api })).toEqual([
    { field: "by", words: "by must be a whole number, not “x”." },
    { field: "loud", words: "loud must be true or false, not “y”." },
  ]);
  expect(problemsOf({ api })).toBe(problemsOf({ api }));
});
