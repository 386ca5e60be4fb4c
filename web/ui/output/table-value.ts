import { isRecord } from "../../is-record.ts";
import { formatColumnNumber, decimalsOf } from "./number-format.ts";

export const tableMime = "application/vnd.miranda.table+json";

export interface TableColumn {
  name: string;
  /** The library's name for it: int64, str, datetime64[ns]. */
  type: string;
}

export interface TableOutput {
  columns: readonly TableColumn[];
  /** The rows that were sent. */
  rows: readonly (readonly unknown[])[];
  /** How many there are in total. */
  total: number;
  totalColumns: number;
}

const limits = { rows: 1_000, columns: 500, sampled: 200, name: 200 } as const;

/** Parses a table from node code, which may have sent anything; undefined when it is not a table. */
export function readTable(value: unknown): TableOutput | undefined {
  if (!isRecord(value) || !Array.isArray(value["columns"]) || !Array.isArray(value["rows"])) return undefined;
  const listed: unknown[] = value["columns"].slice(0, limits.columns);
  if (listed.length === 0 || !listed.every(isRecord)) return undefined;
  const columns = listed.map(({ name, type }) => ({ name: textOf(name), type: textOf(type) }));
  const rows = value["rows"].filter((row): row is unknown[] => Array.isArray(row)).slice(0, limits.rows);
  return {
    columns,
    rows,
    total: countOf(value["total"], rows.length),
    totalColumns: countOf(value["total_columns"], columns.length),
  };
}

/** A table from JSON rows, with the columns of all rows. */
export function tableOfRows(items: readonly Readonly<Record<string, unknown>>[]): TableOutput {
  const names = [...new Set(items.slice(0, limits.rows).flatMap((row) => Object.keys(row)))];
  const shown = names.slice(0, limits.columns);
  return {
    columns: shown.map((name) => ({ name, type: "" })),
    rows: items.slice(0, limits.rows).map((row) => shown.map((name) => row[name])),
    total: items.length,
    totalColumns: names.length,
  };
}

/** How the values of one column are written. */
export interface ColumnFormat {
  isNumber: boolean;
  format: (value: unknown) => string;
}

export function columnFormat({ rows, columns }: TableOutput, at: number): ColumnFormat {
  const sample = rows.slice(0, limits.sampled).map((row) => row[at]);
  const known = sample.filter((value) => value !== null && value !== undefined);
  const isNumber =
    known.length > 0 && known.every((value) => typeof value === "number" || /^-?inf$/.test(exactText(value)));
  if (isNumber) {
    const decimals = decimalsOf(sample);
    return {
      isNumber,
      format: (value) => (typeof value === "number" ? formatColumnNumber(value, decimals) : exactText(value)),
    };
  }
  if (/date|time/i.test(columns[at]?.type ?? "")) {
    const isDay = known.every((value) => /T00:00:00(\.0+)?$/.test(exactText(value)));
    return { isNumber, format: (value) => exactText(value).replace(isDay ? /T.*$/ : "T", isDay ? "" : " ") };
  }
  return { isNumber, format: exactText };
}

/** The exact value, for copying. */
export function exactText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

export interface Sorting {
  column: number;
  isDown: boolean;
}

/** The rows sorted by one column: numbers by size, missing values last. Equal rows keep their order. */
export function sortedRows(rows: TableOutput["rows"], sorting: Sorting | null): TableOutput["rows"] {
  if (!sorting) return rows;
  const { column, isDown } = sorting;
  const collator = new Intl.Collator(undefined, { numeric: true });
  const compare = (one: unknown, other: unknown): number => {
    if (typeof one === "number" && typeof other === "number") return one - other;
    return collator.compare(exactText(one), exactText(other));
  };
  const isNone = (value: unknown) => value === null || value === undefined;
  return rows.toSorted((first, second) => {
    const [one, other] = [first[column], second[column]];
    if (isNone(one) || isNone(other)) return Number(isNone(one)) - Number(isNone(other));
    return isDown ? compare(other, one) : compare(one, other);
  });
}

/** Every row that was sent, as CSV. */
export function toCsv({ columns, rows }: TableOutput): string {
  const lines = [columns.map(({ name }) => name), ...rows.map((row) => columns.map((_, at) => exactText(row[at])))];
  return lines.map((cells) => cells.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

/** As `csvCell` of the contract, which parts without knowledge of the product do not import. */
function csvCell(text: string): string {
  const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text);
  const safe = !isNumber && /^[\s\p{Cf}]*[=+\-@\t\r]/u.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, limits.name) : "";
}

function countOf(value: unknown, minimum: number): number {
  return typeof value === "number" && Number.isSafeInteger(value) ? Math.max(value, minimum) : minimum;
}
