import { expect, it } from "vitest";

import { fittingLabel } from "./edge-label.ts";

const from = { x: 0, y: 0, side: "right" } as const;
const between = (x: number) => fittingLabel("every tenth row 🌊", from, { x, y: 0, side: "left" }, false);

it("shortens a label to the room between close cards, and leaves it out where there is none", () => {
  expect([between(400), between(72), between(40), between(20)]).toEqual([
    "every tenth row 🌊",
    "every ten…",
    "eve…",
    "",
  ]);
});

it("keeps the whole label where no card is beside it", () => {
  const to = { x: 20, y: 300, side: "left" } as const;
  expect(fittingLabel("rows → table", from, to, true)).toBe("rows → table");
  expect(fittingLabel("rows → table", { ...from, side: "bottom" }, to, false)).toBe("rows → table");
  expect(fittingLabel("x".repeat(60), from, to, true)).toBe(`${"x".repeat(47)}…`);
});
