import { expect, it } from "vitest";

import { comparedVersionsAddress, versionsOf } from "./compared-versions.ts";

it("names the versions in the address", () => {
  expect(comparedVersionsAddress("m", [1, 3], "changes")).toBe("/designer/models/m/compare/changes?versions=1,3");
  expect(comparedVersionsAddress("m", [])).toBe("/designer/models/m/compare");
});

it.each([
  ["1,3", [1, 3]],
  ["3,1,3", [3, 1]],
  ["", []],
  [null, []],
  ["0,-1,1.5,x,2", [2]],
  [Array.from({ length: 30 }, (_, at) => at + 1).join(","), Array.from({ length: 20 }, (_, at) => at + 1)],
])("reads the versions of %s", (text, versions) => {
  expect(versionsOf(text)).toEqual(versions);
});
