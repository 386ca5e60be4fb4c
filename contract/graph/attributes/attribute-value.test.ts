import { expect, test } from "vitest";

import type { Control } from "../../schemas/attributes.ts";
import { readAttributeValue } from "./attribute-value.ts";

const read = (kind: string, control: Control | null, given: unknown) =>
  readAttributeValue({ name: "a", kind, control }, given);

test.each<[string, Control | null, unknown, unknown]>([
  ["string", { type: "text" }, "12", "12"],
  ["any", { type: "text" }, { b: 1 }, { b: 1 }],
  ["int", { type: "text" }, "12", 12],
  ["int", null, " 12 ", 12],
  ["float", null, 1e-9, 1e-9],
  ["bool", null, "on", true],
  ["int", { type: "slider", min: 0, max: 9 }, "9", 9],
  ["string", { type: "select", options: ["1", 1, true] }, "1", "1"],
  ["any", { type: "select", options: [1, true] }, "true", true],
  ["boolean", { type: "toggle" }, 0, false],
  ["json", { type: "json" }, "[1]", [1]],
  ["json", { type: "json" }, null, null],
  ["table", null, [{ b: 1 }], [{ b: 1 }]],
])("%s with %j accepts %j as %j", (kind, control, given, value) => {
  expect(read(kind, control, given)).toEqual({ value });
});

test.each<[string, Control | null, unknown, string]>([
  ["int", null, "1.5", "a must be a whole number."],
  ["float", { type: "number", min: 1 }, 0, "a must be a number of at least 1."],
  ["float", { type: "number", max: 1 }, "Infinity", "a must be a number of at most 1."],
  ["int", { type: "slider", min: 0, max: 9 }, 10, "a must be a whole number from 0 to 9."],
  ["float", null, "", "a must be a number."],
  ["float", null, null, "a must be a number."],
  ["float", null, [1], "a must be a number."],
  ["string", null, 5, "a must be text."],
  ["string", { type: "secret" }, {}, "a must be text."],
  ["boolean", null, "yes", "a must be true or false."],
  ["string", { type: "select", options: ["x", 2] }, "y", "a must be one of x, 2."],
  ["json", { type: "json" }, "{", 'a must be JSON, such as "text" or ["text"].'],
  ["list", { type: "json" }, "Stadt", 'a must be JSON, such as "Stadt" or ["Stadt"].'],
])("%s with %j refuses %j: %s", (kind, control, given, refusal) => {
  expect(read(kind, control, given)).toEqual({ refusal });
});

test.each<[string, Control | null, unknown, unknown]>([
  ["list", { type: "json" }, { $unfit: "Stadt" }, { $unfit: "Stadt" }],
  ["list", { type: "json" }, '{"$unfit":"Stadt"}', { $unfit: "Stadt" }],
  ["list", { type: "json" }, '{"$unfit":"[1]"}', [1]],
  ["int", null, '{"$unfit":"12x"}', { $unfit: "12x" }],
  ["int", { type: "slider", min: 0, max: 9 }, '{"$unfit":"5"}', 5],
  ["string", { type: "text" }, '{"$unfit":"a"}', '{"$unfit":"a"}'],
])("%s with %j reads the unfit text %j as %j", (kind, control, given, value) => {
  expect(read(kind, control, given)).toEqual({ value });
});

test("an emptied field has no value only where the code declares none", () => {
  const field = { name: "a", kind: "float", control: { type: "number" } } as const;
  expect(readAttributeValue({ ...field, value: null }, " ")).toEqual({ value: null });
  expect(readAttributeValue({ ...field, value: 3, default: null }, "")).toEqual({ value: null });
  expect(readAttributeValue({ ...field, value: null, default: 3 }, "")).toEqual({ refusal: "a must be a number." });
  expect(readAttributeValue({ ...field, kind: "str", control: { type: "text" }, value: null }, "")).toEqual({
    value: "",
  });
});
