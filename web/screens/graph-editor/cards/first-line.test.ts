import { expect, it } from "vitest";

import { firstRunLine } from "./first-line.ts";

it.each([
  ["class A(Node):\n    def run(self):\n        x = 1\n", 3],
  ["class A(Node):\n    def run(self):\n\n        # why\n        x = 1\n", 5],
  ["def run():\n    pass\n", undefined],
  ["", undefined],
])("finds the first line of run in %j", (source, line) => {
  expect(firstRunLine(source)).toBe(line);
});
