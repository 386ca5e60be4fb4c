import { isRecord } from "../../is-record.ts";
import { readTable, tableOfRows, type TableOutput } from "../../ui/output/table-value.ts";
import { csvTable } from "./csv-table.ts";

/** What a file looks like. It comes from anybody, so nothing of it may run. */
export type FilePreview =
  | { kind: "drawing"; text: string }
  | { kind: "table"; table: TableOutput; isWhole: boolean }
  | { kind: "json"; value: unknown }
  | { kind: "markdown"; text: string }
  | { kind: "text"; text: string; isWhole: boolean }
  | { kind: "none"; reason: string };

const pictures = new Set(["png", "jpg", "jpeg", "gif", "webp"]);

export function endingOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot + 1).toLowerCase();
}

/** Whether the browser can draw the file itself. */
export function isPicture(path: string): boolean {
  return pictures.has(endingOf(path));
}

/** What to show of a file that is no picture, given its start. */
export function previewOf(path: string, start: Uint8Array, isWhole: boolean): FilePreview {
  const text = textOf(start, isWhole);
  if (text === undefined) return { kind: "none", reason: "This file is not text, so there is nothing to read here." };
  const ending = endingOf(path);
  if (ending === "csv" || ending === "tsv") {
    const table = csvTable(text, ending === "csv" ? "," : "\t", isWhole);
    if (table) return { kind: "table", table, isWhole };
  }
  if (ending === "svg" && isWhole && text.includes("<svg")) return { kind: "drawing", text };
  if (ending === "md" && isWhole) return { kind: "markdown", text };
  if (ending === "json" && isWhole) return jsonPreview(text);
  return { kind: "text", text, isWhole };
}

function jsonPreview(text: string): FilePreview {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: "text", text, isWhole: true };
  }
  const table = jsonTable(value);
  return table ? { kind: "table", table, isWhole: true } : { kind: "json", value };
}

/** A list of objects, or what MLflow writes for a table: the names of its columns and the rows. */
function jsonTable(value: unknown): TableOutput | undefined {
  if (Array.isArray(value)) {
    const items: unknown[] = value;
    return items.length > 0 && items.every(isRecord) ? tableOfRows(items) : undefined;
  }
  if (!isRecord(value) || !Array.isArray(value["columns"]) || !Array.isArray(value["data"])) return undefined;
  const names: unknown[] = value["columns"];
  if (!names.every((name) => typeof name === "string")) return undefined;
  return readTable({
    columns: names.map((name) => ({ name, type: "" })),
    rows: value["data"],
    total: value["data"].length,
    total_columns: names.length,
  });
}

/** The text in UTF-8 bytes; undefined when they are something else. */
function textOf(bytes: Uint8Array, isWhole: boolean): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    // The last letter of a part of a file may be cut: streaming leaves it out.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !isWhole });
  } catch {
    return undefined;
  }
}
