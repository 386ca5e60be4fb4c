import type { TableOutput } from "../../ui/output/table-value.ts";

const limits = { rows: 1_000, columns: 500 } as const;

/** The cells of comma-separated text: quoted cells may hold separators, line ends and doubled quotes. */
export function csvRows(text: string, separator: string, most: number): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (let at = 0; at < text.length && rows.length < most; at++) {
    const letter = text[at] ?? "";
    if (isQuoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') {
        cell += letter;
        at += 1;
      } else isQuoted = false;
    } else if (letter === '"' && cell === "") isQuoted = true;
    else if (letter === separator) {
      row.push(cell);
      cell = "";
    } else if (letter === "\n") {
      rows.push([...row, cell.endsWith("\r") ? cell.slice(0, -1) : cell]);
      [row, cell] = [[], ""];
    } else cell += letter;
  }
  if (rows.length < most && (cell !== "" || row.length > 0)) rows.push([...row, cell]);
  return rows;
}

/** The table that a CSV file holds. `isWhole` is false when only the start of the file is here. */
export function csvTable(text: string, separator: string, isWhole: boolean): TableOutput | undefined {
  // One more row than is shown tells whether there are more.
  const rows = csvRows(text, separator, limits.rows + 2);
  // The last line of a part of a file is cut somewhere.
  if (!isWhole && rows.length <= limits.rows + 1) rows.pop();
  const [head, ...body] = rows;
  if (!head || head.every((name) => name.trim() === "")) return undefined;
  const columns = head.slice(0, limits.columns).map((name) => ({ name, type: "" }));
  return {
    columns,
    rows: body.slice(0, limits.rows).map((row) => columns.map((_, at) => cellValue(row[at]))),
    total: body.length,
    totalColumns: head.length,
  };
}

function cellValue(text: string | undefined): string | number | null {
  if (text === undefined || text === "") return null;
  // Only what is a number as it is written: 007 is a name.
  return /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?(?:e[-+]?\d{1,3})?$/i.test(text) ? Number(text) : text;
}
