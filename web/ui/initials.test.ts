import { describe, expect, it } from "vitest";

import { initials } from "./initials.ts";

describe("initials", () => {
  it.each([
    ["Ada Lovelace", "AL"],
    ["Ada King Lovelace", "AL"],
    ["ada", "A"],
    ["ada.lovelace", "AL"],
    ["Anna-Lena", "A"],
    ["Ada Lovelace-King", "AL"],
    ["  ", ""],
    ["Élodie 張", "É張"],
    ["🐙 squid", "🐙S"],
  ])("%j has the initials %j", (name, expected) => {
    expect(initials(name)).toBe(expected);
  });
});
