import { expect, it } from "vitest";

import { filesNamed, findSymbols, mostFound, searchCode } from "./search-code.ts";

const files = [
  { id: 1, name: "Load rows", code: "import csv\nROWS = 3\n" },
  { id: 2, name: "Fit model", code: "def fit(rows):\n    return rows\n" },
];

it("finds every line with a text in all nodes, whatever its case", () => {
  expect(searchCode(files, "rows").map(({ id, line, at }) => [id, line, at])).toEqual([
    [1, 2, 0],
    [2, 1, 8],
    [2, 2, 11],
  ]);
  expect(searchCode(files, " ")).toEqual([]);
});

it("stops at the limit of results", () => {
  expect(searchCode([{ id: 1, name: "Long", code: "x\n".repeat(100_000) }], "x")).toHaveLength(mostFound);
});

it("finds nodes by the start, a part or scattered letters of their name, in this order", () => {
  const named = ["Model of floods", "Fit model", "My old editor", "Rows"].map((name) => ({ name }));
  expect(filesNamed(named, "mod").map(({ name }) => name)).toEqual(["Model of floods", "Fit model", "My old editor"]);
  expect(filesNamed(named, "")).toHaveLength(4);
});

it("finds classes, functions and top-level variables", () => {
  const code = "RATE = 0.1\nclass Fit(Node):\n    rows = 1\n    async def run(self):\n        total = 2\n";
  const symbols = findSymbols([{ id: 7, name: "Fit", code }], "");
  expect(symbols.map(({ name, kind, line }) => [name, kind, line])).toEqual([
    ["RATE", "variable", 1],
    ["Fit", "class", 2],
    ["run", "function", 4],
  ]);
  expect(findSymbols([{ id: 7, name: "Fit", code }], "ru").map(({ name }) => name)).toEqual(["run"]);
});
