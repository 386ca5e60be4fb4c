import { expect, it } from "vitest";

import { holedShape, holesIn } from "./group-frame.ts";

const frame = { x: 100, y: 100, width: 400, height: 300 };

it("cuts holes around nodes that are not in the group", () => {
  const inside = { x: 200, y: 200, width: 50, height: 40 };
  const across = { x: 480, y: 90, width: 100, height: 30 };
  const outside = { x: 600, y: 100, width: 50, height: 50 };
  expect(holesIn(frame, [inside, across, outside])).toEqual([
    { x: 90, y: 90, width: 70, height: 60 },
    { x: 370, y: 0, width: 30, height: 30 },
  ]);
});

it("merges holes that overlap: two would cancel each other out", () => {
  const boxes = [0, 90, 45].map((x) => ({ x: 150 + x, y: 150, width: 30, height: 30 }));
  expect(holesIn(frame, boxes)).toEqual([{ x: 40, y: 40, width: 140, height: 50 }]);
});

it("draws the frame and its holes as one shape", () => {
  expect(holedShape(frame, [])).toBeUndefined();
  expect(holedShape(frame, [{ x: 1, y: 2, width: 3, height: 4 }])).toBe('path(evenodd, "M0,0H400V300H0ZM1,2h3v4h-3Z")');
});
