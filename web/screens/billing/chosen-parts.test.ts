import { expect, it } from "vitest";

import { addPart, type ChosenPart, filtersOf, withoutPart } from "./chosen-parts.ts";

const tides: ChosenPart = { by: "project", key: "t", name: "Tides" };
const reef: ChosenPart = { by: "project", key: "r", name: "Reef" };
const calls: ChosenPart = { by: "kind", key: "call", name: "Deployment call" };

it("filters by every chosen part, at most one of each grouping", () => {
  const both = addPart(addPart(addPart([], tides), calls), reef);
  expect(both).toEqual([calls, reef]);
  expect(filtersOf(both)).toEqual({ project: "r", workflow: "", person: "", source: "call" });
  expect(filtersOf(withoutPart(both, "kind"))).toEqual({ project: "r", workflow: "", person: "", source: "" });
});
