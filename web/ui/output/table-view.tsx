import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp, Download, ImageDown } from "lucide-react";
import { type ClipboardEvent, memo, useMemo, useRef, useState } from "react";

import { classes } from "../classes.ts";
import { oneLine } from "../text/drawable-text.ts";
import { toast } from "../overlay/toast.ts";
import { OutputAction } from "./output-action.tsx";
import { saveFile, savePaper } from "./save-file.ts";
import { drawTable } from "./table-picture.ts";
import {
  type ColumnFormat,
  columnFormat,
  exactText,
  type Sorting,
  sortedRows,
  type TableColumn,
  type TableOutput,
  toCsv,
} from "./table-value.ts";

const sizes = { row: 27, head: 45, plainHead: 32, min: 64, max: 340, letter: 7.2, pad: 26, ahead: 6 } as const;

interface TableViewProps {
  table: TableOutput;
  label: string;
  fill?: boolean;
  /** For people who do not code: without the types of columns, and with a dash where there is no value. */
  plain?: boolean;
}

/** A table of any size: only visible cells exist. A click on a column header sorts by it. */
export function TableView({ table, label, fill = false, plain = false }: TableViewProps) {
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const rows = useMemo(() => sortedRows(table.rows, sorting), [table, sorting]);
  const columns = useMemo(
    () => table.columns.map((column, at) => shapeOf(table, plain ? { ...column, type: "" } : column, at)),
    [table, plain],
  );
  const head = plain ? sizes.plainHead : sizes.head;
  const scroller = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library -- the library mutates its object, so nothing here is memoised
  const down = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => sizes.row,
    scrollMargin: head,
    overscan: sizes.ahead,
  });
  const across = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => columns[at]?.width ?? sizes.min,
    overscan: 2,
  });
  const shown = across.getVirtualItems();
  const width = across.getTotalSize();

  function copy(event: ClipboardEvent): void {
    const text = exactSelection(event.currentTarget, rows);
    if (text === undefined) return;
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
  }

  return (
    <div className={classes("flex min-w-0 flex-col gap-1.5", fill && "min-h-0 flex-1")}>
      <div
        ref={scroller}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- rows and columns out of view do not exist
        role="table"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
        tabIndex={0}
        onCopy={copy}
        data-testid="output-table"
        className={classes(
          "relative w-fit max-w-full overflow-auto rounded-md border border-line bg-surface text-xs select-text",
          fill ? "max-h-full min-h-24" : "max-h-[55dvh]",
        )}
      >
        <div style={{ width, height: head + rows.length * sizes.row }}>
          <div
            // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- see above
            role="row"
            aria-rowindex={1}
            className="sticky top-0 z-10 border-b border-line bg-sunken"
            style={{ width, height: head }}
          >
            {shown.map(({ index, start }) => (
              <Head
                key={index}
                at={index}
                left={start}
                {...(columns[index] ?? emptyShape)}
                isDown={sorting?.column === index ? sorting.isDown : undefined}
                plain={plain}
                onSort={() => setSorting(nextSorting(sorting, index))}
              />
            ))}
          </div>
          {down.getVirtualItems().map(({ index, start }) => (
            <div
              key={index}
              // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- see above
              role="row"
              aria-rowindex={index + 2}
              className="absolute left-0 border-b border-line/60 hover:bg-hover"
              style={{ top: start, width, height: sizes.row }}
            >
              {shown.map((column) => (
                <Cell
                  key={column.index}
                  row={index}
                  at={column.index}
                  left={column.start}
                  width={column.size}
                  value={rows[index]?.[column.index]}
                  shape={columns[column.index] ?? emptyShape}
                  none={plain ? "–" : "null"}
                />
              ))}
            </div>
          ))}
        </div>
      </div>
      <TableFoot table={table} label={label} plain={plain} />
    </div>
  );
}

interface Shape extends ColumnFormat {
  column: TableColumn;
  width: number;
}

const emptyShape: Shape = { column: { name: "", type: "" }, width: sizes.min, isNumber: false, format: exactText };

/** As wide as its content, within limits. */
function shapeOf(table: TableOutput, column: TableColumn, at: number): Shape {
  const written = columnFormat(table, at);
  // Formatting every number would be slow, so only a sample is measured.
  const step = written.isNumber ? Math.ceil(table.rows.length / 100) : 1;
  let letters = Math.max(Math.min(40, column.name.length) + 2, column.type.length, 4);
  for (let row = 0; row < table.rows.length && letters < 60; row += step)
    letters = Math.max(letters, written.format(table.rows[row]?.[at]).length);
  const width = Math.round(Math.max(sizes.min, Math.min(sizes.max, letters * sizes.letter + sizes.pad)));
  return { ...written, column, width };
}

function nextSorting(before: Sorting | null, column: number): Sorting | null {
  if (before?.column !== column) return { column, isDown: false };
  return before.isDown ? null : { column, isDown: true };
}

interface HeadProps extends Shape {
  at: number;
  left: number;
  /** Undefined when the table is not sorted by this column. */
  isDown: boolean | undefined;
  plain: boolean;
  onSort: () => void;
}

function Head({ column, at, left, width, isNumber, isDown, plain, onSort }: HeadProps) {
  const Arrow = isDown ? ArrowDown : ArrowUp;
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- rows and columns out of view do not exist
      role="columnheader"
      aria-label={oneLine(column.name) || `Column ${at + 1}`}
      aria-colindex={at + 1}
      aria-sort={isDown === undefined ? "none" : isDown ? "descending" : "ascending"}
      className="absolute inset-y-0"
      style={{ left, width }}
    >
      <button
        type="button"
        onClick={onSort}
        title={oneLine(column.name)}
        className={classes(
          "flex size-full flex-col justify-center px-3 -outline-offset-2 hover:bg-hover",
          isNumber ? "items-end" : "items-start",
        )}
      >
        <span className="flex max-w-full items-center gap-1 font-semibold">
          <span className="truncate">{oneLine(column.name) || " "}</span>
          {isDown === undefined ? null : <Arrow className="size-3 shrink-0 text-accent-text" aria-hidden="true" />}
        </span>
        {plain ? null : (
          <span className="max-w-full truncate text-2xs font-normal text-ink-faint">{oneLine(column.type) || " "}</span>
        )}
      </button>
    </div>
  );
}

interface CellProps {
  row: number;
  at: number;
  left: number;
  width: number;
  value: unknown;
  shape: Shape;
  /** What is written where there is no value. */
  none: string;
}

const Cell = memo(function Cell({ row, at, left, width, value, shape, none }: CellProps) {
  const isNone = value === null || value === undefined;
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- rows and columns out of view do not exist
      role="cell"
      aria-colindex={at + 1}
      data-row={row}
      data-column={at}
      title={isNone ? undefined : oneLine(exactText(value))}
      className={classes(
        "absolute inset-y-0 truncate px-3 leading-[26px]",
        shape.isNumber ? "text-right tabular-nums" : null,
        isNone ? "text-ink-faint italic" : null,
      )}
      style={{ left, width }}
    >
      {isNone ? none : oneLine(shape.format(value))}
    </div>
  );
});

/** The exact values of the selected cells, for a spreadsheet; undefined when no cell is selected. */
function exactSelection(root: Element, rows: TableOutput["rows"]): string | undefined {
  const selection = getSelection();
  if (!selection || selection.isCollapsed) return undefined;
  const chosen = new Map<string, string[]>();
  for (const cell of root.querySelectorAll<HTMLElement>("[data-column]")) {
    if (!selection.containsNode(cell, true)) continue;
    const { row = "", column = "" } = cell.dataset;
    const cells = chosen.get(row) ?? [];
    cells.push(exactText(rows[Number(row)]?.[Number(column)]));
    chosen.set(row, cells);
  }
  return chosen.size > 0 ? Array.from(chosen.values(), (cells) => cells.join("\t")).join("\n") : undefined;
}

function TableFoot({ table, label, plain }: { table: TableOutput; label: string; plain: boolean }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-ink-muted">
      <span data-testid="table-size">{tableSize(table)}</span>
      <span className="flex gap-1">
        <OutputAction
          icon={Download}
          label="CSV"
          hint="Download as CSV"
          onClick={() => saveFile(`${label}.csv`, new Blob(["\uFEFF", toCsv(table)], { type: "text/csv" }))}
        />
        <OutputAction
          icon={ImageDown}
          label="PNG"
          hint="Download as PNG"
          onClick={() => {
            savePaper(label, drawTable(table, plain)).catch((cause: unknown) => toast.error(String(cause)));
          }}
        />
      </span>
    </div>
  );
}

/** The size of the table: "12 rows × 3 columns", "first 1,000 of 25,000 rows". */
export function tableSize({ rows, columns, total, totalColumns }: TableOutput): string {
  const part = (shown: number, all: number, word: string) =>
    shown < all ? `First ${shown.toLocaleString()} of ${all.toLocaleString()} ${word}s` : counted(all, word);
  return `${part(rows.length, total, "row")} × ${part(columns.length, totalColumns, "column")}`;
}

function counted(count: number, word: string): string {
  return `${count.toLocaleString()} ${word}${count === 1 ? "" : "s"}`;
}
