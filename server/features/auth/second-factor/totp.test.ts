import { describe, expect, it } from "vitest";

import { appAddress, base32Of, codeOf, newKey, stepAt, stepOfCode } from "./totp.ts";

// The test vectors of RFC 6238, appendix B, for SHA-1 and eight digits.
const key = base32Of(Buffer.from("12345678901234567890"));

describe("codes of an authenticator app", () => {
  it.each([
    [59, "94287082"],
    [1_111_111_109, "07081804"],
    [1_111_111_111, "14050471"],
    [1_234_567_890, "89005924"],
    [2_000_000_000, "69279037"],
    [20_000_000_000, "65353130"],
  ])("are those of RFC 6238 at second %i", (second, code) => {
    expect(codeOf(key, stepAt(second * 1000), 8)).toBe(code);
  });

  it("are accepted from a clock that is wrong by 30 seconds, and not by a minute", () => {
    const now = 1_234_567_890_000;
    const fromClock = (seconds: number) =>
      stepOfCode(key, codeOf(key, stepAt(now + seconds * 1000)), now) !== undefined;
    expect([-90, -60, -30, 0, 30, 60, 90].map(fromClock)).toEqual([false, false, true, true, true, false, false]);
  });

  it("are refused when they are too short, too long or no digits", () => {
    const now = 1_234_567_890_000;
    const code = codeOf(key, stepAt(now));
    const wrong = ["", code.slice(1), `${code}0`, ` ${code}`, "abcdef", "１２３４５６"];
    expect(wrong.map((text) => stepOfCode(key, text, now))).toEqual(wrong.map(() => undefined));
  });

  it("have keys of 160 bits, and an address that apps can read", () => {
    expect(newKey()).toMatch(/^[A-Z2-7]{32}$/);
    expect(newKey()).not.toBe(newKey());
    const address = new URL(appAddress(key, "ada", "miranda.example"));
    expect(address.searchParams.get("secret")).toBe(key);
    expect(decodeURIComponent(address.pathname)).toContain("Miranda (miranda.example):ada");
  });
});
