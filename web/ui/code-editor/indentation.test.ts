import { describe, expect, it } from "vitest";

import { indentOf } from "./indentation.ts";

describe("the indentation of a text", () => {
  it.each([
    ["", "    "],
    ["a\nb\n", "    "],
    ["def f():\n  return 1\n", "  "],
    ["def f():\n    return 1\n", "    "],
    ["def f():\n\treturn 1\n", "\t"],
  ])("%j", (text, indent) => {
    expect(indentOf(text)).toBe(indent);
  });
});
