import { describe, expect, it } from "vitest";

import {
  getCredits,
  readCredits,
  roundedCredits,
  shownCredits,
  shownSpend,
  wholeCredits,
  writeCredits,
} from "./credits.ts";

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

  it("rounds down, so that it never shows more than there is", () => {
    expect(shownCredits(getCredits("99.996"))).toBe("99.99");
    expect(wholeCredits(getCredits("99.996"))).toBe(99n);
    expect(shownCredits(getCredits("1234567.5"))).toBe("1,234,567.50");
    expect(shownCredits(getCredits("-0.001"))).toBe("-0.01");
    expect(wholeCredits(getCredits("-0.001"))).toBe(-1n);
  });

  it("shows the first digits of what cost less than a cent", () => {
    expect(shownSpend(getCredits("0.00000123"))).toBe("0.0000012");
    expect(shownSpend(getCredits("0.000000001"))).toBe("0.000000001");
    expect(shownSpend(getCredits("-0.00126"))).toBe("-0.0013");
    expect(shownSpend(getCredits("0.00996"))).toBe("0.01");
    expect(shownSpend(getCredits("0.004"))).toBe("0.0040");
    expect(shownSpend(0n)).toBe("0.00");
  });

  it("rounds what was spent to the nearest cent, with and without a sign alike", () => {
    for (const [amount, text] of [
      ["0.874999999", "0.87"],
      ["0.875", "0.88"],
      ["0.0151", "0.02"],
      ["1234.999", "1,235.00"],
    ] as const) {
      expect(shownSpend(getCredits(amount))).toBe(text);
      expect(shownSpend(-getCredits(amount))).toBe(`-${text}`);
    }
  });
});
