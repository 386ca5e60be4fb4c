import { describe, expect, it } from "vitest";

import { unsentAfter } from "./unsent-events.ts";

const line = (text: string): string => JSON.stringify({ kind: "log", tag: 0, at: 1, text, node: null });
const textsOf = (last: number, ...files: string[]): string[] =>
  unsentAfter(last, files).events.map((event) => (event.kind === "log" ? event.text : event.kind));

describe("what an agent that is gone had not sent", () => {
  // Two batches: events 1 and 2 became number 1, event 3 numbers 2 and 3 with an unfinished line.
  const file = ["", "#0 0 1 0 0", line("a"), line("b"), "@1 1 2", line("c"), "@2 3 3", line("d\ne"), ""].join("\n");

  it("is what comes after the last batch that the server has", () => {
    expect(textsOf(0, file)).toEqual(["a", "b", "c", "d\ne"]);
    expect(textsOf(1, file)).toEqual(["c", "d\ne"]);
    expect(textsOf(3, file)).toEqual(["d\ne"]);
  });

  it("is nothing when it was taken before", () => {
    expect(textsOf(4, file)).toEqual([]);
    expect(textsOf(1_000, file)).toEqual([]);
    expect(textsOf(5)).toEqual([]);
  });

  it("is put together from two files, whichever comes first", () => {
    const older = ["", "#3 4 2 3 3", line("d"), ""].join("\n");
    const newer = ["", "#4 5 2 3 3", line("e"), "@4 4 4", line("f"), ""].join("\n");
    expect(textsOf(3, newer, older)).toEqual(["d", "e", "f"]);
    expect(textsOf(4, older, newer)).toEqual(["e", "f"]);
  });

  it("counts the lines that are missing, and not those that the server has", () => {
    const gap = ["", "#0 0 1 0 0", line("a"), '{"kind":"log","te', "#6 9 1 1 1", line("z"), ""].join("\n");
    expect(unsentAfter(1, [gap])).toMatchObject({ missingLines: 8, events: [{ text: "z" }] });
    const sent = gap.replace("#6 9 1 1 1", "#6 9 2 9 6");
    expect(unsentAfter(9, [sent])).toMatchObject({ missingLines: 0, events: [{ text: "z" }] });
  });

  it("takes nothing that an agent could not have sent, and no line that was cut off", () => {
    const forged = ["", "#0 0 1 0 0", '{"kind":"boss"}', line("a"), '{"kind":"log","tag":0'].join("\n");
    expect(unsentAfter(0, [forged])).toMatchObject({ missingLines: 1, events: [{ text: "a" }] });
    expect(unsentAfter(0, ["\0\0\0", "no\n#\n@\n{}\n"]).events).toEqual([]);
  });
});
