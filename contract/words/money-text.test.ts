import { describe, expect, it } from "vitest";

import { getCredits } from "../billing/credits.ts";
import { moneyText } from "./money-text.ts";

describe("an amount of money", () => {
  it.each([
    [0, "$0.00"],
    [1e-12, "< $0.0001"],
    [0.000_000_001, "< $0.0001"],
    [0.000_099_999, "< $0.0001"],
    [0.0001, "$0.0001"],
    [0.004_29, "$0.0042"],
    [0.004, "$0.0040"],
    [0.009_99, "$0.0099"],
    [0.01, "$0.01"],
    [0.29, "$0.29"],
    [1.239, "$1.23"],
    [99.996, "$99.99"],
    [1_234_567.5, "$1,234,567.50"],
    [-0.000_000_001, "> -$0.0001"],
    [-0.001, "-$0.0010"],
    [-12.5, "-$12.50"],
    [-1_234.999, "-$1,234.99"],
  ])("of %s is shown as %s", (amount, text) => {
    expect(moneyText(amount, "$")).toBe(text);
    if (amount === Number(amount.toFixed(9))) {
      expect(moneyText(amount.toFixed(9), "$")).toBe(text);
      expect(moneyText(getCredits(amount.toFixed(9)), "$")).toBe(text);
    }
  });

  it.each([
    [0, "$0.00"],
    [0.0042, "< $0.01"],
    [-0.0042, "> -$0.01"],
    [0.01, "$0.01"],
    [1.239, "$1.23"],
  ])("S2-171 of %s is shown in cents as %s", (amount, text) => {
    expect(moneyText(amount, "$", "cents")).toBe(text);
  });

  it.each([
    ["0.000000000", "$0.00"],
    ["0.5", "$0.50"],
    ["0.015", "$0.015"],
    ["0.000001234", "$0.000001234"],
    ["1000", "$1,000.00"],
    ["-12.504000000", "-$12.504"],
    ["100.100000000", "$100.10"],
  ])("of %s has all its digits: %s", (amount, text) => {
    expect(moneyText(amount, "$", "all")).toBe(text);
  });

  it("has the sign of the installation, and none while it is not known", () => {
    expect(moneyText(1.5, "€")).toBe("€1.50");
    expect(moneyText(0.000_01, "CHF ")).toBe("< CHF 0.0001");
    expect(moneyText(1.5, "")).toBe("1.50");
  });
});
