import { describe, expect, test } from "vitest";

import { areaText, oneLine, startOf, drawableText, wordParts } from "./drawable-text.ts";

describe("text that a browser cannot draw in time", () => {
  test("leaves ordinary text of any language as it is", () => {
    for (const text of [
      "",
      "Tides",
      "Vi\u0323e\u0302\u0323t Nam ".repeat(50),
      "שלום \u200Fעולם ".repeat(100),
      "a\n\n\nb".repeat(200),
    ])
      expect(drawableText(text)).toBe(text);
  });

  test("keeps fifty marks on a letter, and a thousand empty lines in a row", () => {
    expect(drawableText(`a${"\u0301".repeat(90_000)}b`)).toBe(`a${"\u0301".repeat(50)}b`);
    expect(drawableText(`a${"\n".repeat(90_000)}b`)).toBe(`a${"\n".repeat(1_000)}b`);
  });

  test("removes all direction changes when there are more than a thousand", () => {
    expect(drawableText("\u2067a\u2069".repeat(501))).toBe("a".repeat(501));
    expect(drawableText("\u2067a\u2069".repeat(500))).toBe("\u2067a\u2069".repeat(500));
  });

  test("never ends a start within a character", () => {
    expect(startOf("😀".repeat(10), 3)).toBe("😀");
    expect(oneLine("a".repeat(2_000))).toBe(`${"a".repeat(500)}…`);
  });
});

describe("long words", () => {
  test("are split into parts that make up the text again", () => {
    for (const text of ["a".repeat(1_000), "😀".repeat(400), `a\u0301`.repeat(400), "short words ".repeat(100)])
      expect(wordParts(text).parts.join("")).toBe(text);
    expect(wordParts("a".repeat(1_000)).parts).toHaveLength(43);
    expect(wordParts("short words ".repeat(100)).parts).toHaveLength(1);
  });

  test("are measured from the end of the text before them", () => {
    const { lastWordLength } = wordParts("a".repeat(100));
    expect(lastWordLength).toBe(100);
    expect(wordParts("a".repeat(100), lastWordLength).parts.map(({ length }) => length)).toEqual([60, 20, 20]);
    expect(wordParts("a ").lastWordLength).toBe(0);
  });

  test("keep every mark with its letter", () => {
    for (const part of wordParts("a\u0301".repeat(400)).parts) expect(part).toMatch(/^a/);
  });
});

test("wraps a field's text when it can, and detects the direction of a text with few lines", () => {
  expect(areaText("a few words")).toEqual({ value: "a few words", wrap: undefined, dir: "auto" });
  expect(areaText("a".repeat(1_001)).wrap).toBe("off");
  expect(areaText("a\n".repeat(2_000)).dir).toBeUndefined();
});
