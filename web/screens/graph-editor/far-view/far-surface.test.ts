import { expect, it } from "vitest";

import { uncoveredBy } from "./far-surface.ts";

const size = { width: 100, height: 50 };

it.each([
  ["nothing", 0, 0, []],
  ["the left side", 10, 0, [{ left: 0, top: 0, right: 10, bottom: 50 }]],
  ["the right side", -10, 0, [{ left: 90, top: 0, right: 100, bottom: 50 }]],
  ["the top", 0, 5, [{ left: 0, top: 0, right: 100, bottom: 5 }]],
  [
    "the right side and the bottom",
    -10,
    -5,
    [
      { left: 90, top: 0, right: 100, bottom: 50 },
      { left: 0, top: 45, right: 100, bottom: 50 },
    ],
  ],
])("uncovers %s", (_what, x, y, strips) => {
  expect(uncoveredBy(x, y, size)).toEqual(strips);
});
