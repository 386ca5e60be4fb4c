import { describe, expect, test } from "vitest";

import { logLevels } from "@miranda/contract/limits.ts";
import { logMatcher, readLogLevels, writeLogLevels } from "./log-levels.ts";

describe("log entries", () => {
  test("S3-031 have five levels", () => {
    expect(logLevels).toEqual({ DEFAULT: 0, INFO: 1, WARNING: 2, ERROR: 3, DEBUG: 4 });
  });
});

describe("the log filter", () => {
  test.each([
    ["ERR.r", "an error", true],
    ["^error", "an error", false],
    ["", "anything", true],
    ["[", "anything", true],
    ["(", "", true],
    ["straße", "STRASSE", false],
  ])("S5-018 S5-019 %j on %j: %s", (pattern, message, expected) => {
    const matches = logMatcher(pattern);
    expect([matches(message), matches(message)]).toEqual([expected, expected]);
  });

  test.each([
    [null, [0, 1, 2, 3]],
    ["", []],
    ["3", [3]],
    ["4,0,4", [4, 0]],
    ["0,x", [0, 1, 2, 3]],
    ["9", [0, 1, 2, 3]],
    ["0,,1", [0, 1, 2, 3]],
  ])("S5-021 S5-022 reads the stored %j as %j", (stored, levels) => {
    expect(readLogLevels(stored)).toEqual(levels);
  });

  test("S5-022 stores the selection as comma-separated numbers", () => {
    expect(writeLogLevels([3, 0, 4])).toBe("0,3,4");
    expect(readLogLevels(writeLogLevels([]))).toEqual([]);
  });
});
