import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { memo, useEffect, useRef } from "react";

import { messages } from "@miranda/contract/words/messages.ts";
import type { Model, ModelSort, SortDirection } from "@miranda/contract/schemas/models/models.ts";

import { loadMore } from "../../api/pages.ts";
import type { ModelSearch } from "../../api/models/model-list.ts";
import { classes } from "../../ui/classes.ts";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { useEndNear } from "../../ui/layout/use-end-near.ts";
import type { ModelColumn } from "./model-columns.tsx";

const rowHeight = 41;
// Up to this number every row is on the page, so that the browser's find works.
const wholeUpTo = 100;

const orders = { asc: "ascending", desc: "descending" } as const;
const arrows = { asc: ArrowUp, desc: ArrowDown } as const;

interface ModelsTableProps {
  models: readonly Model[];
  columns: readonly ModelColumn[];
  search: ModelSearch;
  onSort: (sort: ModelSort) => void;
  more: MorePages;
}

interface MorePages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: Error | null;
  fetchNextPage: (options?: { cancelRefetch: boolean }) => Promise<unknown>;
  forgetLaterPages: () => void;
}

/** The models in one table without page buttons. Scrolling loads more; of many models only the visible rows exist. */
export function ModelsTable({ models, columns, search, onSort, more }: ModelsTableProps) {
  const frame = useRef<HTMLElement>(null);
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError } = more;
  const isWhole = models.length <= wholeUpTo;
  // oxlint-disable-next-line react/incompatible-library -- the library mutates its object, so nothing here is memoised
  const virtual = useVirtualizer({
    count: models.length,
    enabled: !isWhole,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const from = isWhole ? 0 : (items[0]?.index ?? 0);
  const to = isWhole ? models.length : (items.at(-1)?.index ?? -1) + 1;
  const end = useEndNear(models.length, () => loadMore(more), frame);

  const { id, graph, order } = search;
  useEffect(() => {
    // Another search or order starts at the top.
    frame.current?.scrollTo({ top: 0 });
  }, [id, graph, order]);

  return (
    <section
      ref={frame}
      aria-label="Models"
      // The keyboard scrolls it, also where no row has anything to focus.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onScroll={({ currentTarget }) => currentTarget.scrollTop === 0 && more.forgetLaterPages()}
      className="max-h-[calc(100dvh-15rem)] min-h-48 overflow-auto rounded-lg border border-line bg-surface shadow-low"
    >
      <table
        className="w-full table-fixed border-separate border-spacing-0 text-left text-sm"
        style={{ minWidth: `${columns.reduce((sum, { widthRem }) => sum + widthRem, 0)}rem` }}
        // With the header. A list that goes on has an unknown number of rows.
        aria-rowcount={hasNextPage ? -1 : models.length + 1}
      >
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <HeaderCell
                key={column.id}
                column={column}
                isFirst={column === columns[0]}
                direction={column.sort === order?.sort ? order?.direction : undefined}
                onSort={onSort}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer rows={from} columns={columns.length} />
          {models.slice(from, to).map((model, offset) => (
            <ModelRow key={model.id} model={model} rowIndex={from + offset + 2} columns={columns} />
          ))}
          <Spacer rows={models.length - to} columns={columns.length} />
          {models.length === 0 ? (
            <tr>
              {/* Where the table is wider than the page, its middle would be out of view. */}
              <td colSpan={Math.max(1, columns.length)} className="px-3 py-12 text-ink-muted md:text-center">
                {messages.noModels}
              </td>
            </tr>
          ) : null}
        </tbody>
      </table>
      <div ref={end} aria-hidden="true" />
      {isFetchingNextPage ? (
        <Spinner label="Loading more models" showLabel className="sticky left-0 px-3 py-3" />
      ) : null}
      {isFetchNextPageError ? (
        <div className="sticky left-0 p-3">
          <LoadFailure
            title="No more models could be loaded"
            message={more.error?.message ?? ""}
            busy={isFetchingNextPage}
            onRetry={() => void more.fetchNextPage()}
          />
        </div>
      ) : null}
    </section>
  );
}

interface HeaderCellProps {
  column: ModelColumn;
  /** It stays in view, so that a row is still known when the table is scrolled to the right. */
  isFirst: boolean;
  direction: SortDirection | undefined;
  onSort: (sort: ModelSort) => void;
}

function HeaderCell({ column, isFirst, direction, onSort }: HeaderCellProps) {
  const { title, widthRem, isNumber, sort } = column;
  const Arrow = direction ? arrows[direction] : ChevronsUpDown;
  return (
    <th
      scope="col"
      aria-sort={direction && orders[direction]}
      style={{ width: `${widthRem}rem` }}
      className={classes(
        "sticky top-0 z-10 border-b border-line bg-sunken px-2 py-2 font-medium first:pl-3 whitespace-nowrap text-ink-muted",
        isNumber ? "text-right" : null,
        isFirst ? "left-0 z-20" : null,
      )}
    >
      {sort ? (
        <button
          type="button"
          onClick={() => onSort(sort)}
          className={classes(
            "inline-flex items-center gap-1 rounded-sm font-medium hover:text-ink",
            direction ? "text-ink" : null,
            isNumber ? "flex-row-reverse" : null,
          )}
        >
          {title}
          <Arrow
            className={classes("size-3.5", direction ? "text-accent-text" : "text-ink-faint")}
            aria-hidden="true"
          />
        </button>
      ) : (
        title
      )}
    </th>
  );
}

interface ModelRowProps {
  model: Model;
  rowIndex: number;
  columns: readonly ModelColumn[];
}

/** Scrolling changes which rows exist, not their content. */
const ModelRow = memo(function ModelRow({ model, rowIndex, columns }: ModelRowProps) {
  return (
    <tr data-testid="model" aria-rowindex={rowIndex} className="group">
      {columns.map((column) => (
        <td
          key={column.id}
          className={classes(
            "h-10 truncate border-b border-line px-2 whitespace-nowrap first:pl-3",
            // What scrolls below it must not shine through, so its hover colour lies over a solid one.
            column === columns[0]
              ? "sticky left-0 bg-surface bg-linear-to-r group-hover:from-hover group-hover:to-hover"
              : "group-hover:bg-hover",
            column.isNumber ? "text-right tabular-nums" : null,
          )}
        >
          {column.cell(model)}
        </td>
      ))}
    </tr>
  );
});

function Spacer({ rows, columns }: { rows: number; columns: number }) {
  if (rows <= 0) return null;
  return (
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ height: rows * rowHeight }} aria-label="More models" />
    </tr>
  );
}
