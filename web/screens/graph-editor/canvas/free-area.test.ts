import { describe, expect, it } from "vitest";

import { type Area, fitting, lookingAt, pushInto } from "./free-area.ts";

const pane = { width: 1000, height: 600 };
const toolbar: Area = { x: 12, y: 12, width: 400, height: 42 };
const inspector: Area = { x: 668, y: 12, width: 320, height: 576 };
const library: Area = { x: 12, y: 66, width: 288, height: 400 };
const map: Area = { x: 12, y: 430, width: 190, height: 160 };
const zooms = { min: 0.02, max: 1 };

/** Where the bounds are on the screen. */
function shown(bounds: Area, covers: readonly Area[]): Area {
  const { x, y, zoom } = fitting(bounds, pane, covers, zooms);
  return {
    x: bounds.x * zoom + x,
    y: bounds.y * zoom + y,
    width: bounds.width * zoom,
    height: bounds.height * zoom,
  };
}

function overlap(one: Area, other: Area): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

const shapes: Record<string, Area> = {
  wide: { x: -5000, y: 100, width: 9000, height: 900 },
  tall: { x: 10, y: -300, width: 600, height: 7000 },
  square: { x: 0, y: 0, width: 4000, height: 4000 },
  small: { x: 77, y: 33, width: 256, height: 120 },
};
const layouts: Record<string, Area[]> = {
  nothing: [],
  "the tools": [toolbar],
  "tools and map": [toolbar, map],
  "tools, map and inspector": [toolbar, map, inspector],
  everything: [toolbar, map, inspector, library],
};

describe("fitting", () => {
  const cells = Object.keys(shapes).flatMap((shape) => Object.keys(layouts).map((layout) => [shape, layout] as const));
  it.each(cells)("shows all of a %s graph beside %s, covered by nothing", (shape, layout) => {
    const covers = layouts[layout] ?? [];
    const place = shown(shapes[shape] ?? toolbar, covers);
    expect(covers.filter((cover) => overlap(place, cover))).toEqual([]);
    expect(place.x).toBeGreaterThanOrEqual(23.99);
    expect(place.y).toBeGreaterThanOrEqual(23.99);
    expect(place.x + place.width).toBeLessThanOrEqual(pane.width - 23.99);
    expect(place.y + place.height).toBeLessThanOrEqual(pane.height - 23.99);
  });

  it("uses the area where it is largest, and never enlarges it", () => {
    expect(shown({ x: 0, y: 0, width: 2000, height: 200 }, [map]).width).toBeCloseTo(952);
    expect(shown({ x: 0, y: 0, width: 400, height: 2000 }, [map]).height).toBeCloseTo(552);
    expect(shown({ x: 0, y: 0, width: 10, height: 10 }, [map]).width).toBe(10);
  });

  it("uses the whole canvas when too little is free", () => {
    const wall: Area = { x: 0, y: 0, width: 1000, height: 560 };
    expect(shown({ x: 0, y: 0, width: 952, height: 552 }, [wall])).toEqual({ x: 24, y: 24, width: 952, height: 552 });
  });
});

describe("showing one node", () => {
  const node: Area = { x: 300, y: 200, width: 256, height: 120 };
  const middle = (covers: readonly Area[], zoom = 1) => {
    const { x, y } = lookingAt(node, zoom, pane, covers);
    return { x: 428 * zoom + x, y: 260 * zoom + y };
  };

  it("centres it, or puts it as near to the centre as nothing covers it", () => {
    expect(middle([])).toEqual({ x: 500, y: 300 });
    expect(middle([toolbar, map, inspector])).toEqual({ x: 500, y: 300 });
    expect(middle([toolbar, map, inspector], 2)).toEqual({ x: 668 - 24 - 256, y: 430 - 24 - 120 });
    expect(middle([library, inspector])).toEqual({ x: 500, y: 300 });
  });

  it("moves a covered node no further than needed", () => {
    expect(pushInto({ x: 400, y: 200, width: 100, height: 100 }, pane, [inspector])).toEqual({ x: 0, y: 0 });
    expect(pushInto({ x: 600, y: 200, width: 100, height: 100 }, pane, [inspector])).toEqual({ x: -56, y: 0 });
    expect(pushInto({ x: 600, y: 590, width: 100, height: 100 }, pane, [inspector])).toEqual({ x: -56, y: -114 });
    // Something larger than every free area stays where it is.
    expect(pushInto({ x: 0, y: 0, width: 2000, height: 100 }, pane, [inspector])).toEqual({ x: 0, y: 0 });
  });
});

it("shows everything when panels leave no room at all, also in a pane that is measured as a DOMRect", () => {
  const rect = Object.create({ width: 390, height: 400 }) as typeof pane;
  const sheet: Area = { x: 0, y: 60, width: 390, height: 340 };
  const view = fitting({ x: 0, y: 0, width: 1200, height: 500 }, rect, [sheet], zooms);
  expect(view.zoom).toBeCloseTo((390 - 48) / 1200);
  expect([view.x, view.y].every(Number.isFinite)).toBe(true);
});
