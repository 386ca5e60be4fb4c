import { describe, expect, it } from "vitest";

import { nextPlace, type Place, placeAfterRun, stops } from "./tour-stops.ts";

const first: Place = { at: 0 };

describe("the tour", () => {
  it("shows nothing while the workflow runs, and goes on with the results", () => {
    const running = placeAfterRun(first, { began: 5 }, false, 0);
    expect(running).toBe("running");
    expect(placeAfterRun(running, { began: 5, ended: 9 }, true, 0)).toEqual({ at: 1 });
  });

  it("ignores earlier runs and a second run", () => {
    expect(placeAfterRun(first, { began: 5, ended: 9 }, true, 5)).toBe(first);
    const later: Place = { at: 2 };
    expect(placeAfterRun(later, { began: 50 }, true, 5)).toBe(later);
    expect(placeAfterRun("ended", { began: 50 }, true, 5)).toBe("ended");
  });

  it("ends when the run fails, and after its last stop", () => {
    expect(placeAfterRun("running", { began: 5, ended: 9 }, false, 0)).toBe("ended");
    expect(nextPlace({ at: stops.length - 1 })).toBe("ended");
    expect(nextPlace({ at: 1 })).toEqual({ at: 2 });
  });
});
