import { describe, expect, test } from "vitest";

import { areaText, oneLine, startOf, tamed, wordParts } from "./drawable-text.ts";

describe("what a browser cannot draw in time", () => {
  test("ordinary text of any language comes back as it is", () => {
    for (const text of [
      "",
      "Tides",
      "Vi\u0323e\u0302\u0323t Nam ".repeat(50),
      "שלום \u200Fעולם ".repeat(100),
      "a\n\n\nb".repeat(200),
    ])
      expect(tamed(text)).toBe(text);
  });

  test("fifty marks stay on a letter, and a thousand empty lines in a row", () => {
    expect(tamed(`a${"\u0301".repeat(90_000)}b`)).toBe(`a${"\u0301".repeat(50)}b`);
    expect(tamed(`a${"\n".repeat(90_000)}b`)).toBe(`a${"\n".repeat(1_000)}b`);
  });

  test("more than a thousand changes of direction all go", () => {
    expect(tamed("\u2067a\u2069".repeat(501))).toBe("a".repeat(501));
    expect(tamed("\u2067a\u2069".repeat(500))).toBe("\u2067a\u2069".repeat(500));
  });

  test("a start never ends within a character", () => {
    expect(startOf("😀".repeat(10), 3)).toBe("😀");
    expect(oneLine("a".repeat(2_000))).toBe(`${"a".repeat(500)}…`);
  });
});

describe("long words", () => {
  test("are cut into parts that make up the text again", () => {
    for (const text of ["a".repeat(1_000), "😀".repeat(400), `a\u0301`.repeat(400), "short words ".repeat(100)])
      expect(wordParts(text).parts.join("")).toBe(text);
    expect(wordParts("a".repeat(1_000)).parts).toHaveLength(43);
    expect(wordParts("short words ".repeat(100)).parts).toHaveLength(1);
  });

  test("are measured from where the text before them ended", () => {
    const { word } = wordParts("a".repeat(100));
    expect(word).toBe(100);
    expect(wordParts("a".repeat(100), word).parts.map(({ length }) => length)).toEqual([60, 20, 20]);
    expect(wordParts("a ").word).toBe(0);
  });

  test("no mark is parted from its letter", () => {
    for (const part of wordParts("a\u0301".repeat(400)).parts) expect(part).toMatch(/^a/);
  });
});

test("a field wraps what it can wrap, and finds the direction of what has few lines", () => {
  expect(areaText("a few words")).toEqual({ value: "a few words", wrap: undefined, dir: "auto" });
  expect(areaText("a".repeat(1_001)).wrap).toBe("off");
  expect(areaText("a\n".repeat(2_000)).dir).toBeUndefined();
});
