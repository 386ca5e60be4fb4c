import { expect, it } from "vitest";

import { sampleContent, sampleNode } from "../../../testing/versions/version-samples.ts";
import { briefComparison } from "./brief-comparison.ts";
import { compareContents } from "./compare-contents.ts";

const api = { compiled: true, error: null, disabled: false, attributes: [] };

function brief(before: object, after: object) {
  const [one, two] = [sampleNode(1, before), sampleNode(1, after)];
  return briefComparison(compareContents(sampleContent([one]), sampleContent([two]))).nodes[0];
}

it("has the new code of a node and not the old one, and no api that is the same", () => {
  const found = brief({ source_code: "a" }, { source_code: "b" });
  expect(found?.after?.source_code).toBe("b");
  expect(found?.after).not.toHaveProperty("api");
  expect(JSON.stringify(found?.fields)).toBe('[{"kind":"code","field":"code"}]');
});

it("has the api when it or a value differs", () => {
  expect(brief({ values: { rate: 1 } }, { values: { rate: 2 } })?.after?.api).toEqual(sampleNode(1).api);
  expect(brief({ api }, { api: { ...api, disabled: true } })?.after?.api?.disabled).toBe(true);
});

it("has neither code nor api of a node that only moved", () => {
  const found = brief({ position: { x: 0, y: 0 } }, { position: { x: 9, y: 0 } });
  expect(found).toMatchObject({ change: "moved", after: { position: { x: 9, y: 0 } } });
  for (const left of ["api", "source_code"]) expect(found?.after).not.toHaveProperty(left);
});

it("has all of an added node, and of a removed one only what names it", () => {
  const node = sampleNode(1);
  const [empty, one] = [sampleContent([]), sampleContent([node])];
  expect(briefComparison(compareContents(empty, one)).nodes).toMatchObject([{ change: "added", after: node }]);
  const [removed] = briefComparison(compareContents(one, empty)).nodes;
  expect(removed).toEqual({ lineage: node.lineage, change: "removed", after: null, fields: [] });
});
