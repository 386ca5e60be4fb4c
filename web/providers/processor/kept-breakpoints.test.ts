import { afterEach, expect, it, vi } from "vitest";

import { rememberedBreakpoints } from "./kept-breakpoints.ts";

afterEach(() => vi.unstubAllGlobals());

function remembered(stored: string) {
  vi.stubGlobal("localStorage", { getItem: () => stored });
  return rememberedBreakpoints("graph");
}

it("remembers plain lines, and lines with a condition or a log", () => {
  const stored = { 7: [3, { line: 4, condition: "total > 1" }, { line: 5, log: "{total}" }] };
  expect(remembered(JSON.stringify(stored))).toMatchObject({
    7: { 3: { line: 3 }, 4: { line: 4, condition: "total > 1" }, 5: { line: 5, log: "{total}" } },
  });
});

it("ignores what is no breakpoint, and keeps the rest", () => {
  const stored = { 7: [3, "4", null, [5], { line: 1.5 }, { condition: "x" }], 8: "none", nodes: [1] };
  const breakpoints = remembered(JSON.stringify(stored));
  expect(Object.keys(breakpoints)).toEqual(["7"]);
  expect(Object.keys(breakpoints[7] ?? {})).toEqual(["3"]);
});

it.each(["{", "null", "7"])("remembers nothing when %j is stored", (stored) => {
  expect(remembered(stored)).toEqual({});
});
