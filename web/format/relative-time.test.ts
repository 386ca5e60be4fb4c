import { describe, expect, test } from "vitest";

import { relativeTime } from "./relative-time.ts";
import { trialBadge } from "../shell/account/trial.ts";

const now = Date.parse("2026-03-20T12:00:00Z");
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

describe("relative time", () => {
  test.each([0, second, 59 * second, minute - 1, -hour])("S9-006 %d ms ago is now", (age) => {
    expect(relativeTime(new Date(now - age).toISOString(), now)).toBe("now");
  });

  test.each([
    [minute, "1 minute ago"],
    [59 * minute, "59 minutes ago"],
    [hour - 1, "59 minutes ago"],
    [hour, "1 hour ago"],
    [23 * hour, "23 hours ago"],
    [day, "1 day ago"],
    [13 * day, "13 days ago"],
    [14 * day, "14 days ago"],
  ])("S9-007 %d ms ago is %s", (age, text) => {
    expect(relativeTime(now - age, now)).toBe(text);
  });

  test("S9-008 more than two weeks ago is a date of the locale", () => {
    const then = new Date(now - 15 * day);
    expect(relativeTime(then, now, "en-GB")).toBe("05/03/2026");
    expect(relativeTime(then, now)).toBe(then.toLocaleDateString());
    expect(relativeTime(now - 14 * day - 1, now, "en-US")).toBe("3/6/2026");
  });

  test("is empty for an invalid time", () => {
    expect(relativeTime("yesterday", now)).toBe("");
  });
});

describe("the trial badge", () => {
  const inTime = (ms: number) => trialBadge(1, new Date(now + ms).toISOString(), now);

  test.each([
    [5.5 * day, 5, "Trial ends in 5d"],
    [5 * day, 5, "Trial ends in 5d"],
    [5 * day - 1, 4, "Trial ends in 4d"],
    [2 * day, 2, "Trial ends in 2d"],
    [2 * day - 1, 1, "Trial ends Today"],
    [day, 1, "Trial ends Today"],
    [day - 1, 0, "Trial ends Today"],
    [0, 0, "Trial ends Today"],
    [-1, -1, "Trial ends Today"],
  ])("S9-001 S9-002 S9-003 %d ms before the end: %d days, %s", (left, days, text) => {
    expect(inTime(left)).toEqual({ days, text, endsToday: days <= 1 });
  });

  test.each([
    [0, "2026-04-01T00:00:00Z"],
    [1, null],
    [1, undefined],
    [1, "never"],
  ] as const)("S4-006 shows no badge for trial %j ending %j", (trial, end) => {
    expect(trialBadge(trial, end, now)).toBeUndefined();
  });
});
