import { describe, expect, test } from "vitest";

import { usernameColour } from "./username-colour.ts";

describe("the colour of a username", () => {
  test("S2-047 is always the same", () => {
    expect(usernameColour("ada")).toBe(usernameColour("ada"));
    expect(usernameColour("ada")).toMatch(/^oklch\(0\.64 0\.16 \d{1,3}\)$/);
  });

  test("S2-047 differs between names, even similar ones", () => {
    const colours = new Set(Array.from({ length: 100 }, (_, at) => usernameColour(`user${at}`)));
    expect(colours.size).toBeGreaterThan(75);
  });
});
