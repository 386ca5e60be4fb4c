import { describe, expect, it } from "vitest";

import {
  carriedOver,
  changeWords,
  type DraftField,
  defaultProblem,
  draftOf,
  formOf,
  moved,
  nameProblem,
  numberedName,
  suggestedName,
  ticked,
  withDefault,
} from "./release-draft.ts";

const field = (name: string, isTicked: boolean) => ({
  name,
  wob_key: 1,
  attribute: name,
  label: ` ${name.toUpperCase()} `,
  help: "",
  kind: "",
  control: null,
  required: false,
  default: null,
  min: null,
  max: null,
  node_name: "Node",
  ticked: isTicked,
});

const names = (items: readonly { name: string }[]) => items.map(({ name }) => name).join("");

describe("the draft of a release", () => {
  it("puts ticked fields first, and sends only those, without what the screen added", () => {
    const draft = draftOf({
      version: { number: 1, name: "One" },
      fields: [field("a", false), field("b", true), field("c", true)],
      outputs: [],
      steps: [
        { wob_key: 1, label: "Reading" },
        { wob_key: 2, label: "  " },
      ],
      missing: [],
    });
    expect(names(draft.fields)).toBe("bca");
    const form = formOf(draft);
    expect(names(form.fields)).toBe("bc");
    expect(form.fields[0]?.label).toBe("B");
    expect(form.fields[0]).not.toHaveProperty("ticked");
    expect(form.steps).toEqual([{ wob_key: 1, label: "Reading" }]);
  });

  it("keeps a default that is wrong as it was typed, says what is wrong, and sends none of it", () => {
    const days: DraftField = { ...field("days", true), kind: "int", control: { type: "number" }, default: 3, max: 7 };
    expect(defaultProblem(days)).toBe("");
    const half = { ...days, ...withDefault(days, "4x") };
    expect(half).toMatchObject({ entered: "4x", default: 3 });
    expect(defaultProblem(half)).toMatch(/^Default value must be a whole number/);
    const whole = { ...half, ...withDefault(half, "6") };
    expect([whole.default, defaultProblem(whole)]).toEqual([6, ""]);
    // The limit may change after the default.
    expect(defaultProblem({ ...whole, max: 5 })).not.toBe("");
    expect({ ...whole, ...withDefault(whole, "") }).toMatchObject({ entered: "", default: null });
    expect(formOf({ fields: [whole], outputs: [], steps: [] }).fields[0]).not.toHaveProperty("entered");
  });

  it("moves ticked fields among the ticked ones", () => {
    const fields = [field("a", true), field("b", true), field("c", true), field("d", false)];
    expect(names(moved(fields, 0, 1))).toBe("bacd");
    expect(names(moved(fields, 0, 9))).toBe("bcad");
    expect(names(moved(fields, 2, -5))).toBe("cabd");
    expect(names(moved(fields, 3, 0))).toBe("abcd");
  });

  it("keeps what was written when another version is chosen", () => {
    const before = { fields: [{ ...field("b", true), help: "Mine" }, field("a", true)], outputs: [], steps: [] };
    const proposal = {
      version: { number: 2, name: "Two" },
      fields: [field("a", false), { ...field("b", true), kind: "int" }, field("c", true)],
      outputs: [],
      steps: [{ wob_key: 1, label: "New" }],
      missing: [],
    };
    const { fields, steps } = carriedOver(before, proposal);
    expect(names(fields)).toBe("bac");
    expect(fields[0]).toMatchObject({ help: "Mine", kind: "int" });
    expect(steps).toEqual([{ wob_key: 1, label: "New" }]);
  });

  it("adds a ticked field at the end of the form", () => {
    const fields = [field("a", true), field("b", false), field("c", false)];
    expect(names(ticked(fields, 2, true))).toBe("acb");
    expect(names(ticked(fields, 0, false))).toBe("abc");
  });
});

describe("short names", () => {
  it.each([
    ["Monthly Report", "monthly-report"],
    ["  Überprüfung №1  ", "uberprufung-no1"],
    ["2024 sales", "sales"],
    ["日本", "app-app"],
    ["x", "x-app"],
    ["long ".repeat(30), "long-long-long-long-long-long-long-long-long-long-long-long"],
  ])("suggests for %s: %s", (title, name) => {
    expect(suggestedName(title)).toBe(name);
    expect(nameProblem(suggestedName(title))).toBeUndefined();
  });

  it("numbers a name that is taken, within its length", () => {
    expect(numberedName("report", 2)).toBe("report-2");
    expect(numberedName("a".repeat(60), 12)).toHaveLength(60);
  });

  it.each(["", "ab", "-abc", "abc-", "Abc", "a_b", "a/b", "1ab"])("refuses %j", (name) => {
    expect(nameProblem(name)).toBeDefined();
  });
});

it("says what callers will notice", () => {
  const form = (fields: ReturnType<typeof field>[], outputs: string[]) =>
    formOf({
      fields,
      outputs: outputs.map((name) => ({
        name,
        wob_key: 1,
        transmitter: null,
        label: name,
        node_name: "",
        ticked: true,
      })),
      steps: [],
    });
  const before = form([field("a", true), field("b", true)], ["x"]);
  const after = form(
    [
      { ...field("b", true), help: "More" },
      { ...field("c", true), required: true },
    ],
    ["y"],
  );
  expect(changeWords(before, after)).toEqual([
    "The field “B” has changed.",
    "Asks for “C”, which is required.",
    "No longer asks for “A”.",
    "Shows “y”.",
    "No longer shows “x”.",
  ]);
  expect(changeWords(before, before)).toEqual([]);
});
