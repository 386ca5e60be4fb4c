import { describe, expect, it } from "vitest";

import { pastedNote } from "../notes/pasted-note.ts";
import { kindOf } from "./file-kinds.ts";
import { partSize } from "./part-size.ts";
import { looksLikeNotebook, readNotebook } from "../../../panels/files/read-notebook.ts";

const cell = (source: string | string[], cell_type = "code") => ({ cell_type, source, metadata: {}, outputs: [] });
const read = (value: unknown) => readNotebook(JSON.stringify(value));

describe("a notebook", () => {
  it("of format 4 and of format 3 is read", () => {
    expect(read({ cells: [cell(["# A\n", "text"], "markdown"), cell("x = 1"), cell("raw", "raw")] })).toEqual([
      { kind: "markdown", source: "# A\ntext" },
      { kind: "code", source: "x = 1" },
      { kind: "raw", source: "raw" },
    ]);
    const old = {
      worksheets: [
        {
          cells: [
            { cell_type: "heading", source: "A" },
            { cell_type: "code", input: "x" },
          ],
        },
      ],
    };
    expect(read(old)).toEqual([
      { kind: "markdown", source: "## A" },
      { kind: "code", source: "x" },
    ]);
  });

  it("keeps which cells may fail, and is refused in another language than Python", () => {
    const failing = { ...cell("1 / 0"), metadata: { tags: ["raises-exception"] } };
    expect(read({ cells: [failing] })).toEqual([{ kind: "code", source: "1 / 0", fails: true }]);
    const of = (metadata: unknown) => () => read({ metadata, cells: [cell("x")] });
    expect(of({ kernelspec: { language: "R" } })).toThrow("This notebook is in R. Only notebooks in Python");
    expect(of({ language_info: { name: "julia" } })).toThrow("This notebook is in julia.");
    expect(of({ language_info: { name: "ipython" } })).not.toThrow();
    expect(of({ kernelspec: { language: "python" } })).not.toThrow();
  });

  it("with 50 MB of outputs is read without them", () => {
    const outputs = [{ data: { "image/png": "x".repeat(50 * 1024 * 1024) } }];
    expect(read({ cells: [{ ...cell("x = 1"), outputs }] })).toEqual([{ kind: "code", source: "x = 1" }]);
  });

  it.each([
    ["no JSON", "x = 1", "This is not a notebook: it is not JSON."],
    ["JSON without cells", '{"nodes": []}', "This is not a notebook: it has no cells."],
    ["a list", "[]", "This is not a notebook: it has no cells."],
    ["cells that are none", '{"cells": [1]}', "This is not a notebook: one of its cells cannot be read."],
    ["no code", JSON.stringify({ cells: [cell("text", "markdown"), cell(" ")] }), "This notebook has no code."],
    [
      "10,000 cells",
      JSON.stringify({ cells: Array.from({ length: 10_000 }, () => cell("x")) }),
      "This notebook has 10,000 cells. At most 1,000 can become nodes.",
    ],
    ["too much code", JSON.stringify({ cells: [cell("x".repeat(2_000_001))] }), "has more than 2,000,000 characters."],
  ])("that is %s is refused", (_what, text, words) => {
    expect(() => readNotebook(text)).toThrow(words);
  });

  it("is distinguished from other texts", () => {
    expect(looksLikeNotebook('{"cells": []}')).toBe(true);
    expect(looksLikeNotebook('{"nodes": []}')).toBe(false);
    expect(looksLikeNotebook("cells = 1")).toBe(false);
  });
});

describe("a file", () => {
  it.each([
    ["a.csv", { type: "load", prefab: "Read CSV" }],
    ["A.XLSX", { type: "load", prefab: "Read Excel" }],
    ["a.parquet", { type: "load", prefab: "Read Parquet" }],
    ["a.json", { type: "load", prefab: "Read JSON" }],
    ["a.ipynb", { type: "notebook" }],
    ["a.py", { type: "script" }],
    ["a.graphml", { type: "graphml" }],
    ["a.zip", { type: "zip" }],
  ])("%s", (name, kind) => {
    expect(kindOf({ name, size: 10 })).toEqual(kind);
  });

  it.each([
    ["a.png", 1, "is a picture"],
    ["a.exe", 1, "cannot become a node"],
    ["a", 1, "cannot become a node"],
    ["a.csv", 200 * 1024 * 1024, "“a.csv” has 200 MB. At most 10 MB can be dropped."],
    ["a.ipynb", 200 * 1024 * 1024, "“a.ipynb” has 200 MB. At most 100 MB can be dropped."],
  ])("%s of %i bytes is refused", (name, size, words) => {
    expect(kindOf({ name, size })).toContain(words);
  });
});

describe("the space that new nodes take", () => {
  it("is the size of a note", () => {
    expect(partSize([pastedNote("word ".repeat(100))])).toEqual({ width: 320, height: 292 });
  });

  it("reaches from the first card to the last", () => {
    const at = (x: number, y: number) => ({ class: "Code_block" as const, position: { x, y } });
    const one = partSize([at(0, 0)]);
    expect(one.width).toBe(256);
    expect(partSize([at(0, 0), at(352, 100)])).toEqual({ width: 608, height: one.height + 100 });
  });
});
