import { flexRender, type Header, type Row, type Table } from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { useRef } from "react";

import { messages } from "@miranda/contract/errors.ts";
import type { Model } from "@miranda/contract/schemas/models.ts";

import { classes } from "../../ui/classes.ts";

const rowHeight = 41;
// Up to this number every row is on the page, so that the browser's find works.
const wholeUpTo = 300;

const orders = { asc: "ascending", desc: "descending" } as const;

/** All models in one table, without pages. */
export function ModelsTable({ table }: { table: Table<Model> }) {
  const frame = useRef<HTMLDivElement>(null);
  const { rows } = table.getRowModel();
  const isWhole = rows.length <= wholeUpTo;
  // oxlint-disable-next-line react/incompatible-library -- the library mutates its object, so nothing here is memoised
  const virtual = useVirtualizer({
    count: rows.length,
    enabled: !isWhole,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const shown = isWhole ? rows : items.flatMap(({ index }) => rows[index] ?? []);
  const above = isWhole ? 0 : (items[0]?.start ?? 0);
  const below = isWhole ? 0 : virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  const columns = table.getVisibleLeafColumns().length;
  return (
    <div
      ref={frame}
      className="max-h-[calc(100dvh-15rem)] min-h-48 overflow-auto rounded-lg border border-line bg-surface shadow-low"
    >
      <table className="w-full border-separate border-spacing-0 text-left text-sm" aria-rowcount={rows.length}>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map((header) => (
                <HeaderCell key={header.id} header={header} />
              ))}
            </tr>
          ))}
        </thead>
        <tbody>
          <Spacer height={above} columns={columns} />
          {shown.map((row) => (
            <ModelRow key={row.id} row={row} />
          ))}
          <Spacer height={below} columns={columns} />
          {rows.length === 0 ? (
            <tr>
              {/* Where the table is wider than the page, its middle would be out of view. */}
              <td colSpan={Math.max(1, columns)} className="px-3 py-12 text-ink-muted md:text-center">
                {messages.noModels}
              </td>
            </tr>
          ) : null}
        </tbody>
      </table>
    </div>
  );
}

function HeaderCell({ header }: { header: Header<Model, unknown> }) {
  const { column } = header;
  const sorted = column.getIsSorted();
  const title = column.columnDef.meta?.title ?? column.id;
  const isNumber = column.columnDef.meta?.isNumber === true;
  const Arrow = sorted === "asc" ? ArrowUp : sorted === "desc" ? ArrowDown : ChevronsUpDown;
  return (
    <th
      scope="col"
      aria-sort={sorted === false ? undefined : orders[sorted]}
      className={classes(
        "sticky top-0 z-10 border-b border-line bg-sunken px-3 py-2 font-medium whitespace-nowrap text-ink-muted",
        isNumber ? "text-right" : null,
      )}
    >
      {column.getCanSort() ? (
        <button
          type="button"
          onClick={column.getToggleSortingHandler()}
          className={classes(
            "inline-flex items-center gap-1 rounded-sm font-medium hover:text-ink",
            sorted === false ? null : "text-ink",
            isNumber ? "flex-row-reverse" : null,
          )}
        >
          {title}
          <Arrow
            className={classes("size-3.5", sorted === false ? "text-ink-faint" : "text-accent-text")}
            aria-hidden="true"
          />
        </button>
      ) : (
        title
      )}
    </th>
  );
}

function ModelRow({ row }: { row: Row<Model> }) {
  return (
    <tr data-testid="model" className="group">
      {row.getVisibleCells().map((cell) => (
        <td
          key={cell.id}
          className={classes(
            "h-10 max-w-72 truncate border-b border-line px-3 whitespace-nowrap group-hover:bg-hover",
            cell.column.columnDef.meta?.isNumber === true ? "text-right tabular-nums" : null,
          )}
        >
          {flexRender(cell.column.columnDef.cell, cell.getContext())}
        </td>
      ))}
    </tr>
  );
}

function Spacer({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ height }} aria-label="More models" />
    </tr>
  );
}
