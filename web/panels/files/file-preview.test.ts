import { expect, test } from "vitest";

import { csvRows, csvTable } from "./csv-table.ts";
import { endingOf, isPicture, previewOf } from "./file-preview.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("CSV cells may hold separators, quotes and line ends", () => {
  expect(csvRows('a,"b, c","d ""e"""\r\n"x\ny",,2\n', ",", 10)).toEqual([
    ["a", "b, c", 'd "e"'],
    ["x\ny", "", "2"],
  ]);
  expect(csvRows("a\tb\n1\t2", "\t", 10)).toEqual([
    ["a", "b"],
    ["1", "2"],
  ]);
  expect(csvRows("a\n".repeat(50), ",", 3)).toHaveLength(3);
});

test("a table of CSV has numbers where every sign is one, and says how much there is", () => {
  const table = csvTable("name,value\nada,1.5\nbob,007\ncyd,\n", ",", true);
  expect(table).toEqual({
    columns: [
      { name: "name", type: "" },
      { name: "value", type: "" },
    ],
    rows: [
      ["ada", 1.5],
      ["bob", "007"],
      ["cyd", null],
    ],
    total: 3,
    totalColumns: 2,
  });
  // The last row of a part may be cut in the middle of a cell.
  expect(csvTable("a,b\n1,2\n3,", ",", false)?.rows).toEqual([[1, 2]]);
  expect(csvTable("", ",", true)).toBeUndefined();
});

test("a file is shown by its name and content", () => {
  expect(previewOf("model/MLmodel", bytes("flavors:\n  python"), true)).toEqual({
    kind: "text",
    text: "flavors:\n  python",
    isWhole: true,
  });
  expect(previewOf("a.json", bytes('{"a": 1}'), true)).toEqual({ kind: "json", value: { a: 1 } });
  expect(previewOf("a.json", bytes("{broken"), true)).toMatchObject({ kind: "text" });
  expect(previewOf("a.json", bytes('[{"a": 1}, {"b": 2}]'), true)).toMatchObject({ kind: "table" });
  expect(previewOf("t.json", bytes('{"columns": ["x"], "data": [[1], [2]]}'), true)).toMatchObject({
    kind: "table",
    table: { rows: [[1], [2]], total: 2 },
  });
  expect(previewOf("README.md", bytes("# Hi"), true)).toEqual({ kind: "markdown", text: "# Hi" });
  expect(["plot.PNG", "a.jpeg", "a.svg", "png"].map(isPicture)).toEqual([true, true, false, false]);
  expect(previewOf("a.svg", bytes("<svg/>"), true)).toEqual({ kind: "drawing", text: "<svg/>" });
  expect(previewOf("a.svg", bytes("<svg/>"), false)).toMatchObject({ kind: "text" });
  expect(previewOf("model.pkl", new Uint8Array([128, 4, 0, 1]), true)).toMatchObject({ kind: "none" });
  expect(previewOf("bad.txt", new Uint8Array([0xff, 0xfe, 0x41]), true)).toMatchObject({ kind: "none" });
  // A part of a file may end in the middle of a letter.
  expect(previewOf("long.txt", bytes("grün").slice(0, 3), false)).toMatchObject({ kind: "text", text: "gr" });
});

test("a name that only begins with a dot has no ending", () => {
  expect(["a/b.CSV", ".gitignore", "a.b/c", "x.tar.gz"].map(endingOf)).toEqual(["csv", "", "", "gz"]);
});
