import { expect, it } from "vitest";

import { ansiSpans, withoutAnsi } from "./ansi.ts";

const escape = "\u001B";

it("reads terminal colours", () => {
  expect(ansiSpans(`${escape}[1;31mred${escape}[0m plain`)).toEqual([
    { text: "red", bold: true, colour: 1 },
    { text: " plain" },
  ]);
  expect(ansiSpans(`${escape}[38;5;196mx${escape}[38;2;1;2;300my`)).toEqual([
    { text: "x", colour: "rgb(255 0 0)" },
    { text: "y", colour: "rgb(1 2 255)" },
  ]);
  expect(ansiSpans(`${escape}[92mok${escape}[39m`)[0]).toEqual({ text: "ok", colour: 10 });
});

it("removes sequences that are not colours", () => {
  expect(withoutAnsi(`${escape}[2K${escape}[1Gdone${escape}]0;title\u0007!`)).toBe("done!");
  expect(ansiSpans("plain")).toEqual([{ text: "plain" }]);
});
