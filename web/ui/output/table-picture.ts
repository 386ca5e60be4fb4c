import { oneLine } from "../text/drawable-text.ts";
import { columnFormat, type TableOutput } from "./table-value.ts";

const limits = { rows: 200, width: 6_000, cell: 320 } as const;
const look = { row: 26, head: 44, pad: 12, scale: 2 } as const;

/** Draws the table as a picture: its first rows, and as many columns as fit. A plain one has no types of columns. */
export function drawTable(table: TableOutput, plain: boolean): HTMLCanvasElement {
  const paper = document.createElement("canvas");
  const pen = paper.getContext("2d");
  if (!pen) return paper;
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim() || "#888";
  const font = (weight: number, size: number) => `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
  const rows = table.rows.slice(0, limits.rows);
  const columns = measured(table, rows, pen, font);
  const width = columns.reduce((sum, column) => sum + column.width, 0);
  paper.width = width * look.scale;
  paper.height = (look.head + rows.length * look.row) * look.scale;
  pen.scale(look.scale, look.scale);
  pen.fillStyle = colour("--surface");
  pen.fillRect(0, 0, width, paper.height);
  pen.textBaseline = "middle";
  let left = 0;
  for (const { at, width: wide, isNumber, format } of columns) {
    const x = isNumber ? left + wide - look.pad : left + look.pad;
    pen.textAlign = isNumber ? "right" : "left";
    const room = wide - 2 * look.pad;
    pen.fillStyle = colour("--ink");
    pen.font = font(600, 12);
    pen.fillText(oneLine(table.columns[at]?.name ?? ""), x, plain ? look.head / 2 : 15, room);
    pen.fillStyle = colour("--ink-faint");
    pen.font = font(400, 10);
    if (!plain) pen.fillText(table.columns[at]?.type ?? "", x, 31, room);
    pen.font = font(400, 12);
    for (const [row, cells] of rows.entries()) {
      const isNone = cells[at] === null || cells[at] === undefined;
      pen.fillStyle = colour(isNone ? "--ink-faint" : "--ink");
      pen.fillText(
        isNone ? (plain ? "–" : "null") : oneLine(format(cells[at])),
        x,
        look.head + (row + 0.5) * look.row,
        room,
      );
    }
    left += wide;
  }
  pen.fillStyle = colour("--line");
  for (let row = 0; row <= rows.length; row += 1) pen.fillRect(0, look.head + row * look.row - 1, width, 1);
  return paper;
}

type Font = (weight: number, size: number) => string;

function measured(table: TableOutput, rows: TableOutput["rows"], pen: CanvasRenderingContext2D, font: Font) {
  const columns = [];
  let width = 0;
  for (const [at, { name, type }] of table.columns.entries()) {
    const { isNumber, format } = columnFormat(table, at);
    pen.font = font(600, 12);
    let wide = Math.max(pen.measureText(oneLine(name)).width, pen.measureText(type).width);
    pen.font = font(400, 12);
    for (const row of rows) wide = Math.max(wide, pen.measureText(oneLine(format(row[at]))).width);
    const own = Math.ceil(Math.min(wide, limits.cell)) + 2 * look.pad;
    if (width + own > limits.width && columns.length > 0) break;
    width += own;
    columns.push({ at, width: own, isNumber, format });
  }
  return columns;
}
