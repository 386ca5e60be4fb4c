import { describe, expect, test } from "vitest";

import { byline, groupProjects } from "./search-groups.ts";

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

  test("S2-069 S2-070 name their owner", () => {
    expect(byline(project(true, false))).toBe("By You");
    expect(byline(project(false, true))).toBe("By Ada");
  });
});
