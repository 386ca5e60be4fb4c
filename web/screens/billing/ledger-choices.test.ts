import { expect, it } from "vitest";

import { choiceFilters, ledgerChoices } from "./ledger-choices.ts";

const labels = (source: string, isProject: boolean) => ledgerChoices(source, isProject).map(({ label }) => label);

it("has a choice for every kind of entry that an account or a project can have", () => {
  const usage = ["All entries", "All usage", "Sessions", "Deployment calls", "Schedules"];
  expect(labels("", false)).toEqual([
    ...usage,
    ...["Credits granted", "Credits taken back", "Trial credits", "Opening balance"],
    ...["Added to a project", "Returned by a project"],
  ]);
  expect(labels("", true)).toEqual([
    ...usage,
    ...["Credits granted", "Credits taken back", "Credits added", "Credits returned"],
  ]);
});

it("has no choices that contradict the source that the page shows", () => {
  expect(labels("call", false)).toEqual(["All entries", "Deployment calls"]);
  expect(choiceFilters("", "call")).toEqual({ kind: "", source: "call" });
  expect(choiceFilters("usage/call", "")).toEqual({ kind: "usage", source: "call" });
  expect(choiceFilters("trial", "")).toEqual({ kind: "trial", source: "" });
});
