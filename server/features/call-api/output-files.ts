import { csvCell } from "@miranda/contract/words/csv-cell.ts";
import { isRecord } from "@miranda/contract/json.ts";
import { outputFile } from "@miranda/contract/limits.ts";
import type { CallOutput } from "@miranda/contract/schemas/deployments/calls.ts";

import { tableOutput } from "../../limits.ts";

type Data = Readonly<Record<string, unknown>>;

/** An output as a download. */
export interface OutputFile {
  name: string;
  type: string;
  content: Buffer;
}

/** What an output says about its file: its content is stored beside it. Undefined when it is no file. */
export function fileIn(data: Data): CallOutput["file"] {
  const found = data[outputFile.mime];
  if (!isRecord(found)) return null;
  const { name, type, size } = found;
  return {
    name: safeName(typeof name === "string" ? name : ""),
    type: typeof type === "string" && mediaType.test(type) ? type : "application/octet-stream",
    size: typeof size === "number" ? size : 0,
  };
}

const mediaType = /^[a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,130}$/i;

const images = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const endings: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "svg",
};

/** Any output that is no file as a download: a table as CSV, an image, JSON or text. */
export function downloadOf(label: string, data: Data, format: string | undefined): OutputFile | undefined {
  const name = safeName(label.replaceAll(/[^\p{L}\p{N} ._-]/gu, "_"));
  const asCsv = (value: unknown): OutputFile | undefined => {
    const table = readTable(value);
    return table && { name: `${name}.csv`, type: "text/csv; charset=utf-8", content: csv(table) };
  };
  if (format === "csv") return asCsv(data[tableOutput.mime] ?? data["application/json"]);
  for (const type of images) {
    const content = data[type];
    if (typeof content === "string" && format !== "json")
      return { name: `${name}.${endings[type]}`, type, content: Buffer.from(content, "base64") };
  }
  if (format !== "json") {
    const svg = data["image/svg+xml"];
    if (typeof svg === "string") return { name: `${name}.svg`, type: "image/svg+xml", content: Buffer.from(svg) };
    const table = asCsv(data[tableOutput.mime]);
    if (table) return table;
  }
  if (Object.hasOwn(data, "application/json") || format === "json") {
    const value = valueOf(data);
    return value === undefined
      ? undefined
      : { name: `${name}.json`, type: "application/json", content: Buffer.from(JSON.stringify(value)) };
  }
  const text = textIn(data);
  return text === undefined
    ? undefined
    : { name: `${name}.txt`, type: "text/plain; charset=utf-8", content: Buffer.from(text) };
}

/** The value of an output that JSON can hold: itself, the rows of a table, a text. Undefined for everything else. */
export function valueOf(data: Data): unknown {
  if (Object.hasOwn(data, "application/json")) return data["application/json"];
  const table = readTable(data[tableOutput.mime]);
  if (table)
    return table.rows.map((row) => Object.fromEntries(table.columns.map((name, at) => [name, row[at] ?? null])));
  return textIn(data);
}

/** The first picture of an output. */
export function imageIn(data: Data): { type: string; base64: string } | undefined {
  for (const type of images) {
    const content = data[type];
    if (typeof content === "string") return { type, base64: content };
  }
  return undefined;
}

function textIn(data: Data): string | undefined {
  for (const type of ["text/markdown", "text/plain", "text/html"]) {
    const text = data[type];
    if (typeof text === "string") return text;
  }
  return undefined;
}

interface Table {
  columns: string[];
  rows: unknown[][];
}

/** A table of the runtime, or a list of objects. Undefined when most of its cells would be empty and they are many. */
function readTable(value: unknown): Table | undefined {
  if (Array.isArray(value)) {
    const rows: unknown[] = value;
    if (rows.length === 0 || !rows.every(isRecord)) return undefined;
    const names = rows.flatMap((row) => Object.keys(row));
    const columns = [...new Set(names)];
    if (isTooWide(columns.length * rows.length, names.length)) return undefined;
    return { columns, rows: rows.map((row) => columns.map((name) => row[name])) };
  }
  if (!isRecord(value) || !Array.isArray(value["columns"]) || !Array.isArray(value["rows"])) return undefined;
  const named: unknown[] = value["columns"];
  const columns = named.map((column) => (isRecord(column) && typeof column["name"] === "string" ? column["name"] : ""));
  const rows = value["rows"].filter((row): row is unknown[] => Array.isArray(row));
  const given = rows.reduce((sum, row) => sum + row.length, 0);
  return isTooWide(columns.length * rows.length, given) ? undefined : { columns, rows };
}

/** Node code decides what it sends: a short text with many columns and empty rows would become cells without end. */
function isTooWide(cells: number, given: number): boolean {
  return cells > Math.min(tableOutput.cellsMax, 2 * given + tableOutput.emptyCells);
}

function csv({ columns, rows }: Table): Buffer {
  const lines = [columns, ...rows.map((row) => columns.map((_, at) => cellText(row[at])))];
  // The mark tells spreadsheets that it is UTF-8.
  return Buffer.from(`\uFEFF${lines.map((cells) => cells.map(csvCell).join(",")).join("\r\n")}\r\n`);
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function safeName(given: string): string {
  const name = given
    .split(/[/\\]/)
    .at(-1)
    ?.replaceAll(/[\p{Cc}\uFFFD]/gu, "")
    .trim()
    .slice(0, 200);
  return name && name !== "." && name !== ".." ? name : "output";
}
