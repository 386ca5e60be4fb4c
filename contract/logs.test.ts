import { describe, expect, test } from "vitest";

import { logLevels } from "./limits.ts";
import { logMatcher, mergeLogs, readLogLevels, writeLogLevels } from "./logs.ts";
import { byline, groupProjects } from "./search-groups.ts";

const entry = (id: number, tag: number, message: string) => ({ id, tag, message, timestamp: `t${id}` });

describe("log entries", () => {
  test("S9-009 consecutive ones of one tag become one", () => {
    const entries = [entry(1, 1, "a"), entry(2, 1, "b\n"), entry(3, 1, "c"), entry(4, 2, "d"), entry(5, 1, "e")];
    const before = structuredClone(entries);
    expect(mergeLogs(entries)).toEqual([entry(1, 1, "a\nb\nc"), entry(4, 2, "d"), entry(5, 1, "e")]);
    expect(entries).toEqual(before);
    expect(mergeLogs([])).toEqual([]);
  });

  test("S9-009 tags 1,1,2,1 give three entries", () => {
    expect(mergeLogs([1, 1, 2, 1].map((tag, id) => entry(id, tag, "x")))).toHaveLength(3);
  });

  test("S3-031 have five levels", () => {
    expect(logLevels).toEqual({ DEFAULT: 0, INFO: 1, WARNING: 2, ERROR: 3, DEBUG: 4 });
  });
});

describe("the filter", () => {
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
  ])("S5-021 S5-022 %j kept in the browser selects %j", (stored, levels) => {
    expect(readLogLevels(stored)).toEqual(levels);
  });

  test("S5-022 the selection is kept as numbers with commas", () => {
    expect(writeLogLevels([3, 0, 4])).toBe("0,3,4");
    expect(readLogLevels(writeLogLevels([]))).toEqual([]);
  });
});

describe("projects in the search", () => {
  const project = (you: boolean, following: boolean) => ({ following, created_by: { you, first_name: "Ada" } });

  test.each([
    ["S4-011", true, true, "yours"],
    ["S4-011", true, false, "yours"],
    ["S4-012", false, true, "followed"],
    ["S4-013", false, false, "shared"],
  ] as const)("%s own %s, followed %s: %s", (_id, you, following, group) => {
    const one = project(you, following);
    expect(groupProjects([one])).toEqual({ yours: [], followed: [], shared: [], [group]: [one] });
  });

  test("S2-069 S2-070 say whose they are", () => {
    expect(byline(project(true, false))).toBe("By You");
    expect(byline(project(false, true))).toBe("By Ada");
  });
});
