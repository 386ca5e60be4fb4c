import { expect, it } from "vitest";

import { createCallRate } from "./call-rates.ts";

it("allows three minutes' worth at once, then the rate, and says how long to wait", () => {
  let now = 0;
  const rate = createCallRate(60, () => now);
  for (let i = 0; i < 180; i++) expect(rate.take("ada")).toBe(0);
  expect(rate.take("ada")).toBe(1);
  expect(rate.take("bob")).toBe(0);
  now += 1_000;
  expect([rate.take("ada"), rate.take("ada")]).toEqual([0, 1]);
  now += 3_600_000;
  for (let i = 0; i < 180; i++) expect(rate.take("ada")).toBe(0);
  expect(rate.take("ada")).toBe(1);
});

it("has no limit at 0", () => {
  const rate = createCallRate(0);
  for (let i = 0; i < 1_000; i++) expect(rate.take("ada")).toBe(0);
});

it("still limits one caller while calls come from everywhere", () => {
  const rate = createCallRate(1, () => 0);
  for (let i = 0; i < 3; i++) rate.take("ada");
  for (let i = 0; i < 15_000; i++) rate.take(`stranger ${i}`);
  expect(rate.take("ada")).toBeGreaterThan(0);
  for (let i = 0; i < 60_000; i++) rate.take(`another ${i}`);
  expect(rate.take("somebody new")).toBe(0);
});
