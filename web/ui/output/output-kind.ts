import { isRecord } from "../../is-record.ts";
import { readTable, tableMime, tableOfRows, type TableOutput } from "./table-value.ts";

/** A value by MIME type, as in Jupyter's display protocol. */
export type MimeBundle = Readonly<Record<string, unknown>>;

export type Output =
  /** A drawing (SVG) may have no size of its own. */
  | { kind: "image"; address: string; isDrawing: boolean }
  | { kind: "html"; html: string }
  | { kind: "table"; table: TableOutput }
  | { kind: "chart"; values: number[] }
  | { kind: "number"; number: number }
  | { kind: "json"; value: unknown }
  | { kind: "text"; text: string };

const pictures = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
const base64 = /^[A-Za-z0-9+/\s]+=*\s*$/;

/** The richest form of an output that can be shown safely. */
export function outputOf(data: MimeBundle): Output {
  for (const mime of pictures) {
    const picture = data[mime];
    if (typeof picture === "string" && base64.test(picture))
      return { kind: "image", address: `data:${mime};base64,${picture.replaceAll(/\s/g, "")}`, isDrawing: false };
  }
  const svg = data["image/svg+xml"];
  // Shown as a picture, so that nothing in it runs or leaves it.
  if (typeof svg === "string" && svg.includes("<svg"))
    return { kind: "image", address: `data:image/svg+xml,${encodeURIComponent(svg)}`, isDrawing: true };
  const table = readTable(data[tableMime]);
  if (table) return { kind: "table", table };
  const json = data["application/json"];
  if (json !== undefined && json !== null) return valueOutput(json);
  const html = data["text/html"];
  if (typeof html === "string") return { kind: "html", html };
  const text = data["text/plain"];
  const plain = typeof text === "string" ? text : text === undefined ? "" : JSON.stringify(text);
  const isNumber = plain.length < 32 && /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(plain.trim());
  return isNumber ? { kind: "number", number: Number(plain) } : { kind: "text", text: plain };
}

export function valueOutput(value: unknown): Output {
  if (typeof value === "number") return { kind: "number", number: value };
  if (typeof value === "string") return { kind: "text", text: value };
  if (Array.isArray(value)) {
    const items: unknown[] = value;
    if (items.length > 1 && items.every((item) => typeof item === "number")) return { kind: "chart", values: items };
    if (items.length > 0 && items.every(isRecord)) return { kind: "table", table: tableOfRows(items) };
  }
  return { kind: "json", value };
}

/** The points of a line chart in a box of this size. */
export function chartPoints(values: readonly number[], width: number, height: number): string {
  const known = values.filter(Number.isFinite);
  const [min, max] = [Math.min(...known), Math.max(...known)];
  const span = max - min || 1;
  return values
    .map((value, at) => {
      const x = (at / Math.max(1, values.length - 1)) * width;
      const y = height - ((Number.isFinite(value) ? value - min : 0) / span) * height;
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    })
    .join(" ");
}
