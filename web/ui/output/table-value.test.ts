import { describe, expect, it } from "vitest";

import { formatColumnNumber, decimalsOf, formatNumber } from "./number-format.ts";
import { columnFormat, readTable, sortedRows, tableMime, toCsv } from "./table-value.ts";
import { outputOf } from "./output-kind.ts";

const table = (...rows: unknown[][]) => ({
  columns: [
    { name: "when", type: "datetime64[ns]" },
    { name: "x", type: "float64" },
  ],
  rows,
  total: 5_000,
  total_columns: 2,
});

describe("a number", () => {
  it.each([
    [0.8333333333333334, "0.833"],
    [12.345678, "12.346"],
    [0.012345, "0.0123"],
    [0.5, "0.5"],
    [-2.0004, "-2"],
    [0.00001234567, "1.235e-5"],
    [1234567890.123, "1.235e+9"],
    [2026, "2026"],
    [Number.NaN, "NaN"],
  ])("writes %s as %s", (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });

  it("has as many digits as the other numbers of its column, and never becomes zero", () => {
    const values = [0.5, 2 / 3, 12, null, 0.00002];
    const decimals = decimalsOf(values);
    expect(decimals).toBe(3);
    expect([0.5, 2 / 3, 12, 0, 0.0002].map((value) => formatColumnNumber(value, decimals))).toEqual([
      "0.500",
      "0.667",
      "12.000",
      "0.000",
      "0.0002",
    ]);
    expect(decimalsOf([1, 2])).toBe(0);
  });
});

describe("a table from node code", () => {
  it("is shown instead of its HTML and JSON forms", () => {
    const data = { [tableMime]: table(["2026-01-02T00:00:00", 0.5]), "text/html": "<table>", "application/json": [{}] };
    expect(outputOf(data)).toMatchObject({
      kind: "table",
      table: { total: 5_000, rows: [["2026-01-02T00:00:00", 0.5]] },
    });
  });

  it.each([
    null,
    3,
    {},
    { columns: [], rows: [] },
    { columns: [3], rows: [] },
    { columns: [{}] },
    { columns: "x", rows: 1 },
  ])("is refused when it is %j", (given) => {
    expect(readTable(given)).toBeUndefined();
  });

  it("loses only invalid rows and counts", () => {
    expect(readTable({ columns: [{ name: 3 }], rows: [[1], 2, null], total: "many" })).toEqual({
      columns: [{ name: "", type: "" }],
      rows: [[1]],
      total: 1,
      totalColumns: 1,
    });
  });

  it("shows dates without a time, and times with a space", () => {
    const days = readTable(table(["2026-01-02T00:00:00", 1], [null, 2]));
    const times = readTable(table(["2026-01-02T10:30:00", 1]));
    expect(days && columnFormat(days, 0).format("2026-01-02T00:00:00")).toBe("2026-01-02");
    expect(times && columnFormat(times, 0).format("2026-01-02T10:30:00")).toBe("2026-01-02 10:30:00");
  });

  it("is sorted by size, missing values last", () => {
    const rows = [[10], [null], [9], ["inf"], [2]];
    const order = (isDown: boolean) => sortedRows(rows, { column: 0, isDown }).map(([value]) => value);
    expect(order(false)).toEqual([2, 9, 10, "inf", null]);
    expect(order(true)).toEqual(["inf", 10, 9, 2, null]);
    expect(sortedRows(rows, null)).toBe(rows);
  });

  it("becomes CSV with exact values, quotes and no formulas", () => {
    const given = readTable({
      columns: [{ name: "a,b" }, { name: "n" }],
      rows: [
        ['say "hi"', 1 / 3],
        ["=HYPERLINK(1)", -1],
        [null, true],
        ["-cmd|1", "-5"],
      ],
    });
    expect(given && toCsv(given).split("\r\n")).toEqual([
      '"a,b",n',
      '"say ""hi""",0.3333333333333333',
      "'=HYPERLINK(1),-1",
      ",true",
      "'-cmd|1,-5",
      "",
    ]);
  });
});
