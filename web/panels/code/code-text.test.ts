import { describe, expect, it } from "vitest";

import { errorLine, oneLineEnd, suggestedMessage } from "./code-text.ts";

const code = (body = "return 1", more = "") =>
  `class Train(Node):\n    rows = Receiver("table")\n${more}\n    def run(self):\n        ${body}\n`;

describe("a suggested message", () => {
  it("names the single method or attribute that changed", () => {
    expect(suggestedMessage("Train", code(), code("return 2"))).toBe("Change run of Train");
    expect(suggestedMessage("Train", code(), code("return 1", "    seed = Constant(4)\n"))).toBe("Add seed to Train");
    expect(suggestedMessage("Train", code("return 1", "    seed = Constant(4)\n"), code())).toBe(
      "Remove seed from Train",
    );
    expect(suggestedMessage("Train", "", code())).toBe("Change Train");
  });
});

it("reads the line number of an error", () => {
  expect(errorLine("invalid syntax (line 18)")).toBe(18);
  expect(errorLine("The code has no class that extends Node.")).toBe(null);
  expect(errorLine(null)).toBe(null);
});

it("converts every line ending to one kind", () => {
  expect(oneLineEnd("a\r\nb\rc\n")).toBe("a\nb\nc\n");
});
