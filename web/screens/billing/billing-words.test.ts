import type { LedgerEntry } from "@miranda/contract/schemas/billing/spending.ts";
import { expect, it } from "vitest";

import { comparison, dayText, entryDetail, entryTitle, partName, projectTotals } from "./billing-words.ts";

const fill: LedgerEntry = {
  ...{ key: "2026-11-17_1", day: "2026-11-17", time: "2026-11-17T12:00:00.000Z", source: "" },
  kind: "fill",
  ...{
    project: null,
    workflow: null,
    person: "ben",
    session_id: null,
    time_started: null,
    amount: "1.000000000",
    purse: true,
    note: "",
  },
};

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

it("names entries as seen from the account or from the project", () => {
  expect(entryTitle(fill, false)).toBe("Added to a project");
  expect(entryTitle(fill, true)).toBe("Credits added");
});

it("adds up what a project spent apart from its credits, without what is zero", () => {
  const totals = { spent: "3.000000000", purse_spent: "1.000000000", purse_added: "8.250000000" };
  expect(projectTotals({ ...totals, purse_returned: "0.000000000" }).map(({ name }) => name)).toEqual([
    ...["Spent", "Paid by the project", "Credits added"],
  ]);
});

it("says when the session of an entry began, with the day if it is another one", () => {
  const start = new Date(2026, 10, 17, 14, 5);
  const clock = start.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  const usage: LedgerEntry = {
    ...fill,
    kind: "usage",
    source: "session",
    purse: false,
    time_started: start.toISOString(),
  };
  expect(entryDetail(usage, true)).toBe(`Session · started ${clock} · by ben`);
  const dayAfter = { ...usage, day: "2026-11-18", source: "call" };
  expect(entryDetail(dayAfter, true)).toBe(
    `Deployment call · session started ${dayText("2026-11-17", true)}, ${clock} · by ben`,
  );
});
