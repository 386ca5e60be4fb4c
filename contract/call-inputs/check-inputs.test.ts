import { expect, test } from "vitest";

import { nodeFile } from "../limits.ts";
import { checkInputs, problemWords } from "./check-inputs.ts";
import type { InputField } from "./field-types.ts";
import { bytesText } from "./files.ts";

function field(given: Partial<InputField> & { name: string }): InputField {
  const { name } = given;
  return {
    ...{ label: name, help: "", kind: "any", control: null, required: false, default: null, min: null, max: null },
    ...given,
  };
}

const age = field({ name: "age", label: "Age", kind: "int", control: { type: "number", min: 0 }, max: 150 });
const mode = field({ name: "mode", kind: "string", control: { type: "select", options: ["fast", "safe", 3] } });
const sure = field({ name: "sure", control: { type: "toggle" } });
const note = field({ name: "note", kind: "str", required: true, max: 10 });
const rows = field({ name: "rows", kind: "list", control: { type: "json" } });
const photo = field({ name: "photo", control: { type: "file", accept: ".csv, image/*" }, max: 2048 });

test.each<[InputField, unknown, unknown]>([
  [age, 12, 12],
  [mode, 3, 3],
  [sure, false, false],
  [note, "hi", "hi"],
  [rows, [1], [1]],
  [field({ name: "a" }), { b: [1] }, { b: [1] }],
  [field({ name: "a", kind: "str" }), "", ""],
  [photo, { name: "A.CSV", size: 2048, type: "" }, { name: "A.CSV", size: 2048, type: "" }],
  [photo, { name: "a", size: 0, type: "image/png" }, { name: "a", size: 0, type: "image/png" }],
])("takes JSON for %j: %j", (one, given, value) => {
  expect(checkInputs([one], { [one.name]: given }, "json")).toEqual({ inputs: { [one.name]: value } });
});

test.each<[InputField, string, unknown]>([
  [age, " 12 ", 12],
  [mode, "3", 3],
  [sure, "on", true],
  [sure, "false", false],
  [rows, "[1, 2]", [1, 2]],
  [field({ name: "a", control: { type: "json" } }), "null", null],
  [field({ name: "a" }), "12", "12"],
])("turns the text of a form for %j: %j", (one, given, value) => {
  expect(checkInputs([one], { [one.name]: given }, "form")).toEqual({ inputs: { [one.name]: value } });
});

test.each<[InputField, unknown, string]>([
  [age, "12", "Age must be a whole number from 0 to 150, not text: send 12 without quotes."],
  [age, "twelve", "Age must be a whole number from 0 to 150, not text."],
  [age, 1.5, "Age must be a whole number from 0 to 150."],
  [age, 151, "Age must be a whole number from 0 to 150."],
  [age, -1, "Age must be a whole number from 0 to 150."],
  [age, true, "Age must be a whole number from 0 to 150, not true or false."],
  [mode, "slow", 'mode must be one of "fast", "safe", 3.'],
  [mode, "3", 'mode must be one of "fast", "safe", 3.'],
  [sure, "true", "sure must be true or false, not text."],
  [sure, 1, "sure must be true or false, not a number."],
  [note, 5, "note must be text, not a number."],
  [note, "", "note is required."],
  [note, null, "note is required."],
  [note, "12345678901", "note can have at most 10 characters."],
  [rows, { a: 1 }, "rows must be a list, such as [1, 2], not an object."],
  [photo, "abc", "photo must be a file."],
  [photo, { name: "a.csv", size: 2049, type: "" }, "photo can have at most 2 kB."],
  [photo, { name: "a.exe", size: 1, type: "x/y" }, "photo must be a file of this type: .csv, image/*."],
  [field({ name: "a" }), "a\u0000", "a contains a character that cannot be stored, or is nested too deeply."],
  [field({ name: "a" }), "\ud800", "a contains a character that cannot be stored, or is nested too deeply."],
  [field({ name: "a" }), "x".repeat(1_000_001), "a can have at most 1000000 characters."],
])("refuses JSON for %j: %j", (one, given, message) => {
  expect(checkInputs([one], { [one.name]: given }, "json")).toEqual({ problems: [{ field: one.name, message }] });
});

test("a file without a limit of its own has that of all files", () => {
  const one = field({ name: "a", control: { type: "file" } });
  expect(checkInputs([one], { a: { name: "a", size: 2 * 1024 ** 3, type: "" } }, "form")).toEqual({
    problems: [{ field: "a", message: `a can have at most ${nodeFile.sizeMax / 1024 ** 2} MB.` }],
  });
});

test("names missing, wrong and unknown fields all at once", () => {
  const result = checkInputs([age, note, sure], { age: "x", sure: 1, colour: "red", constructor: 1 }, "json");
  expect("problems" in result && problemWords(result.problems).split("\n")).toEqual([
    "age: Age must be a whole number from 0 to 150, not text.",
    "note: note is required.",
    "sure: sure must be true or false, not a number.",
    "colour: There is no such field. The fields are age, note, sure.",
    "constructor: There is no such field. The fields are age, note, sure.",
  ]);
});

test("fields that are left out get their default, also when they are required", () => {
  const fields = [{ ...age, default: 30, required: true }, mode, { ...note, default: "hello" }];
  expect(checkInputs(fields, {}, "json")).toEqual({ inputs: { age: 30, note: "hello" } });
  expect(checkInputs(fields, { age: "", mode: "", note: "" }, "form")).toEqual({ inputs: { age: 30, note: "hello" } });
});

test("names of every object's own properties are fields like others", () => {
  const given: unknown = JSON.parse('{"__proto__": {"age": 1}, "toString": 1}');
  expect(checkInputs([field({ name: "constructor", kind: "str" })], {}, "json")).toEqual({ inputs: {} });
  const result = checkInputs([age], given, "json");
  expect("problems" in result && result.problems.map((one) => one.field)).toEqual(["__proto__", "toString"]);
});

test("thousands of unknown fields are counted, not listed", () => {
  const given = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`f${at}`, 1]));
  const result = checkInputs([age], given, "json");
  expect("problems" in result && [result.problems.length, result.problems.at(-1)?.message]).toEqual([
    101,
    "And 9900 more.",
  ]);
});

test.each([null, [], "text", 5])("refuses %j instead of an object", (given) => {
  expect(checkInputs([age], given, "json")).toMatchObject({ problems: [{ field: "" }] });
});

test("writes sizes with their unit, and one byte in the singular", () => {
  expect([0, 1, 2, 1536].map(bytesText)).toEqual(["0 bytes", "1 byte", "2 bytes", "1.5 kB"]);
});

test("refuses values that are nested too deeply", () => {
  const deep: unknown = JSON.parse("[".repeat(5_000) + "]".repeat(5_000));
  expect(checkInputs([rows], { rows: deep }, "json")).toMatchObject({ problems: [{ field: "rows" }] });
});
