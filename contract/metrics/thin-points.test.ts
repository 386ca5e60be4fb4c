import { describe, expect, it } from "vitest";

import { thinnedPlaces } from "./thin-points.ts";

describe("thinning points", () => {
  it("leaves everything when it fits", () => {
    expect(thinnedPlaces([3, 1, null, 2], 4)).toEqual([0, 1, 2, 3]);
  });

  it("leaves no more than asked for, in order, with the first and the last", () => {
    const values = Array.from({ length: 100_000 }, (_, at) => Math.sin(at / 50));
    const places = thinnedPlaces(values, 2_000);
    expect(places.length).toBeLessThanOrEqual(2_000);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(new Set(places).size).toBe(places.length);
    expect([places[0], places.at(-1)]).toEqual([0, values.length - 1]);
  });

  it("keeps a single peak and a single gap among many points", () => {
    const values: (number | null)[] = Array.from({ length: 50_000 }, () => 1);
    values[12_345] = 99;
    values[33_333] = null;
    values[40_000] = -99;
    const places = thinnedPlaces(values, 500);
    expect(places).toEqual(expect.arrayContaining([12_345, 33_333, 40_000]));
  });
});
