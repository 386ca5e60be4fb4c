import { expect, it } from "vitest";

import { csvCell } from "./csv-cell.ts";

it.each([
  "-1+cmd|' /C calc'!A0",
  "+1+HYPERLINK(1)",
  "=1",
  "@SUM(1)",
  "-",
  "+.",
  " =1",
  "\t=1",
  "\u200b=1",
  "-1-1",
  "--1",
  "1e",
])("a spreadsheet does not run %j", (text) => {
  expect(csvCell(text).replace(/^"/, "").startsWith("'")).toBe(text !== "1e");
});

it.each(["-1", "+1.5", "-.5", "3", "-2e-7", "", "a-b", "1+1"])("%j stays as it is", (text) => {
  expect(csvCell(text)).toBe(text);
});

it("quotes what would end a cell", () => {
  expect(csvCell('a,"b"\n')).toBe('"a,""b""\n"');
  expect(csvCell("-1,5")).toBe('"\'-1,5"');
});
