import { expect, test } from "vitest";

import { countedTotal, isShortSearch, shownTotal } from "./list-total.ts";

test("a total is shown with a comma, and says when there are more", () => {
  expect(["7", "1000", "1000+"].map(shownTotal)).toEqual(["7", "1,000", "1,000+"]);
  expect(["0", "1", "1000+"].map((total) => countedTotal(total, "project"))).toEqual([
    "0 projects",
    "1 project",
    "1,000+ projects",
  ]);
});

test("a search is short without three letters or digits in a row", () => {
  expect(["", "a", "%", "ab cd", "水文"].map(isShortSearch)).toEqual([false, true, true, true, true]);
  expect(["abc", "2026", "水文学", "a abc"].map(isShortSearch)).toEqual([false, false, false, false]);
});
