import { expect, it } from "vitest";

import { daysOfRange } from "./spending-range.ts";

it("finds the days of a range across months and years", () => {
  const now = new Date(2026, 2, 1, 0, 30);
  expect(daysOfRange("30", now)).toEqual({ from: "2026-01-31", to: "2026-03-01" });
  expect(daysOfRange("month", now)).toEqual({ from: "2026-03-01", to: "2026-03-01" });
  expect(daysOfRange("before", now)).toEqual({ from: "2026-02-01", to: "2026-02-28" });
  expect(daysOfRange("before", new Date(2026, 0, 5))).toEqual({ from: "2025-12-01", to: "2025-12-31" });
});
