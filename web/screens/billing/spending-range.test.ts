import { expect, it } from "vitest";

import { comparison, dayText, partName } from "./billing-words.ts";
import { daysOfRange } from "./spending-range.ts";

it("finds the days of a range across months and years", () => {
  const now = new Date(2026, 2, 1, 0, 30);
  expect(daysOfRange("30", now)).toEqual({ from: "2026-01-31", to: "2026-03-01" });
  expect(daysOfRange("month", now)).toEqual({ from: "2026-03-01", to: "2026-03-01" });
  expect(daysOfRange("before", now)).toEqual({ from: "2026-02-01", to: "2026-02-28" });
  expect(daysOfRange("before", new Date(2026, 0, 5))).toEqual({ from: "2025-12-01", to: "2025-12-31" });
});

it("compares this month with the same part of last month", () => {
  expect(comparison("15.000000000", "10.000000000")).toBe("50 % more than in the same part of last month");
  expect(comparison("5.000000000", "10.000000000")).toBe("50 % less than in the same part of last month");
  expect(comparison("1.000000000", "0.000000000")).toBe("Nothing in the same part of last month");
});

it("names parts and days", () => {
  expect(partName("kind", { name: "call", isRest: false })).toBe("Deployment call");
  expect(partName("person", { name: "", isRest: false })).toBe("Visitors and waiting");
  expect(partName("project", { name: "", isRest: true })).toBe("All others");
  expect(dayText("2026-11-17")).toContain("17");
});
