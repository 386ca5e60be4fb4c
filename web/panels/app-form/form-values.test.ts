import { describe, expect, it } from "vitest";

import { type AppField, checkForm, startValues } from "./form-values.ts";

const field = (name: string, more: Partial<AppField>): AppField => ({
  name,
  label: name,
  help: "",
  kind: "str",
  control: null,
  required: false,
  default: null,
  min: null,
  max: null,
  ...more,
});

const fields = [
  field("title", { default: "Tides" }),
  field("count", { kind: "int", control: { type: "number" }, default: 3 }),
  field("share", { kind: "float", control: { type: "slider", min: 0, max: 1 } }),
  field("colour", { control: { type: "select", options: ["red", 2, true] }, default: 2 }),
  field("loud", { kind: "bool", control: { type: "toggle" }, default: true }),
  field("rules", { control: { type: "json" }, default: { a: 1 } }),
  field("table", { control: { type: "file" } }),
];

describe("the values of a form", () => {
  it("begin with the defaults, and are sent as the values they stand for", () => {
    const values = startValues(fields);
    expect(values).toMatchObject({ title: "Tides", count: "3", share: "0", colour: 2, loud: true, table: null });
    expect(checkForm(fields, values)).toEqual({
      inputs: {
        title: "Tides",
        count: 3,
        share: 0,
        colour: 2,
        loud: true,
        rules: { a: 1 },
      },
    });
  });

  it("begin with the inputs of an earlier call", () => {
    const file = { file: "a".repeat(64), name: "tides.csv", size: 9, type: "text/csv" };
    const values = startValues(fields, { title: "Moon", count: 12, colour: "gone", loud: false, table: file });
    expect(values).toMatchObject({ title: "Moon", count: "12", colour: "gone", loud: false, table: file });
  });

  it("refuse an option that the form no longer offers, instead of sending the default", () => {
    const checked = checkForm(fields, startValues(fields, { colour: "gone" }));
    expect("problems" in checked && checked.problems).toEqual([
      { field: "colour", message: 'colour must be one of "red", 2, true.' },
    ]);
  });

  it("are named when they are wrong, all at once", () => {
    const checked = checkForm(fields, { ...startValues(fields), count: "many", rules: "{a", share: "2" });
    expect("problems" in checked && checked.problems.map((problem) => problem.field)).toEqual([
      "count",
      "share",
      "rules",
    ]);
  });

  it("are left out when they are empty, but an emptied text is sent", () => {
    const empty = { title: "", count: "", share: "", rules: "", colour: undefined, loud: false, table: null };
    expect(checkForm(fields.slice(0, 1), empty)).toEqual({ inputs: { title: "" } });
    expect(checkForm([field("note", {})], { note: "" })).toEqual({ inputs: {} });
  });
});
