import type { Conflict, NodeDifference } from "@miranda/contract/schemas/versions.ts";
import { expect, it } from "vitest";

import { changedCode } from "./changed-code.ts";

const node = (lineage: string, change: NodeDifference["change"], kind: "code" | "value"): NodeDifference => ({
  lineage,
  change,
  before: null,
  after: null,
  fields: change === "changed" ? [{ kind, field: "x", before: 1, after: 2 }] : [],
});
const conflict = (lineage: string, kind: Conflict["kind"]): Conflict => ({
  id: lineage,
  kind,
  lineage,
  name: "Train",
  field: "",
  base: null,
  theirs: null,
  mine: null,
});

it("lists nodes whose code changes or goes, and those whose code is in conflict", () => {
  const nodes = [
    node("code", "changed", "code"),
    node("value", "changed", "value"),
    node("gone", "removed", "code"),
    node("new", "added", "code"),
  ];
  const conflicts = [conflict("both", "code"), conflict("deleted", "deleted"), conflict("rate", "value")];
  const found = changedCode({ comparison: { nodes, edges: [], groups: [] }, conflicts });
  expect([...found]).toEqual(["code", "gone", "both", "deleted"]);
});
