import { describe, expect, it } from "vitest";

import { getCredits, readCredits, roundedCredits, wholeCredits, writeCredits } from "./credits.ts";

describe("amounts of credits", () => {
  it.each(["0.000000000", "12.500000000", "-0.000000001", "123456789012.123456789"])(
    "%s is read and written",
    (text) => {
      expect(writeCredits(getCredits(text))).toBe(text);
    },
  );

  it.each(["", "NaN", "Infinity", "1e9", "1,5", ".5", "5.", "0.0000000001", "1234567890123", " 1", "+1", "0x1"])(
    "'%s' is no amount",
    (text) => {
      expect(readCredits(text)).toBeUndefined();
    },
  );

  it("adds up exactly where numbers do not", () => {
    const tenth = getCredits("0.1");
    expect(writeCredits(tenth + tenth + tenth)).toBe("0.300000000");
    expect(0.1 + 0.1 + 0.1).not.toBe(0.3);
  });

  it("rounds what was measured to billionths", () => {
    expect(roundedCredits(0.000_000_000_6)).toBe(1n);
    expect(roundedCredits(2 / 3)).toBe(666_666_667n);
  });

  it("counts whole credits, rounded down", () => {
    expect(wholeCredits(getCredits("99.996"))).toBe(99n);
    expect(wholeCredits(getCredits("-0.001"))).toBe(-1n);
  });
});
