import { afterEach, describe, expect, test, vi } from "vitest";

import { messages } from "../../words/messages.ts";
import type { ShownWhen } from "../../schemas/attributes.ts";
import { attribute } from "../graph-samples.ts";
import { isShown, shownAttributes } from "./shown-when.ts";

afterEach(() => vi.restoreAllMocks());

function shown(rule: ShownWhen | null, mode: { is_connected?: boolean; value?: unknown } = {}): boolean {
  const tested = attribute("mode", "RECEIVER_FIELD", { value: "safe", ...mode });
  return isShown({ shown_when: rule }, new Map([["mode", tested]]));
}

describe("conditions", () => {
  test.each([
    [true, true, true],
    [true, false, false],
    [false, true, false],
    [false, false, true],
  ])("S3-018 connected %s of an attribute that is connected %s: %s", (connected, is_connected, expected) => {
    expect(shown({ mode: [{ connected }] }, { is_connected })).toBe(expected);
  });

  test.each([
    ["safe", "safe", true],
    ["safe", "fast", false],
    [1, 1, true],
    [1, "1", false],
    [0, false, false],
    [null, null, true],
    [[1, { a: 2 }], [1, { a: 2 }], true],
    [[1, { a: 2 }], [1, { a: 3 }], false],
    [{}, [], false],
    [{ a: 1 }, { b: 1 }, false],
  ])("S3-019 value %j of an attribute whose value is %j: %s", (wanted, value, expected) => {
    expect(shown({ mode: [{ value: wanted }] }, { value })).toBe(expected);
  });

  test.each([
    [true, "safe", true],
    [true, "fast", false],
    [false, "safe", false],
    [false, "fast", false],
  ])("S3-020 both tests must hold: connected %s, value %s: %s", (is_connected, value, expected) => {
    expect(shown({ mode: [{ connected: true, value: "safe" }] }, { is_connected, value })).toBe(expected);
  });

  test("S3-021 S8-011 an unknown key fails the condition and warns in the console", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    expect(shown({ mode: [{ value: "safe", colour: "red" }] })).toBe(false);
    expect(warn).toHaveBeenCalledWith(messages.unknownCondition("colour"));
  });

  test("S3-021 an unknown key fails its own condition only", () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    expect(shown({ mode: [{ colour: "red" }, { value: "safe" }] })).toBe(true);
  });

  test("sends the warning to the given function", () => {
    const warn = vi.fn<(message: string) => void>();
    const tested = attribute("mode", "RECEIVER_FIELD");
    isShown({ shown_when: { mode: [{ colour: 1 }] } }, new Map([["mode", tested]]), warn);
    expect(warn).toHaveBeenCalledOnce();
  });
});

describe("rules", () => {
  test("S3-022 every named attribute needs one matching condition", () => {
    const rule = { mode: [{ value: "fast" }, { value: "safe" }], depth: [{ value: 3 }] };
    const names = (depth: number) =>
      shownAttributes([
        attribute("mode", "RECEIVER_FIELD", { value: "safe" }),
        attribute("depth", "RECEIVER_FIELD", { value: depth }),
        attribute("epochs", "RECEIVER_FIELD", { shown_when: rule }),
      ]).map(({ name }) => name);
    expect(names(3)).toEqual(["mode", "depth", "epochs"]);
    expect(names(4)).toEqual(["mode", "depth"]);
  });

  test("S3-022 no rule, and a rule that names nobody, show the attribute", () => {
    expect(shown(null)).toBe(true);
    expect(shown({})).toBe(true);
  });

  test("S3-022 an attribute that is not there, and an empty list, match nothing", () => {
    expect(shown({ gone: [{ connected: false }] })).toBe(false);
    expect(shown({ mode: [] })).toBe(false);
  });
});
