import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useLayoutEffect, useMemo, useRef, useState } from "react";

import { useEndNear } from "./use-end-near.ts";

// Up to this number every item is on the page, so that the browser's find and print work.
const wholeUpTo = 60;

interface VirtualGridProps<Item> {
  label: string;
  items: readonly Item[];
  itemKey: (item: Item) => string;
  renderItem: (item: Item) => ReactNode;
  columns: number;
  /** In pixels. */
  gap: number;
  rowHeight: number;
  className?: string;
  /** Called near the end, to load more. */
  onEndNear?: (() => void) | undefined;
}

/** A grid of any length in the page's own scroll. Of a long grid only the visible rows exist. */
export function VirtualGrid<Item>(props: VirtualGridProps<Item>) {
  const { label, items, itemKey, renderItem, columns, gap, rowHeight, className, onEndNear } = props;
  const list = useRef<HTMLUListElement>(null);
  const top = usePageOffset(list);
  const whole = items.length <= wholeUpTo;
  const rows = Math.ceil(items.length / columns);
  // oxlint-disable-next-line react/incompatible-library -- the library mutates its object, so nothing here is memoised
  const virtual = useWindowVirtualizer({
    count: rows,
    enabled: !whole,
    estimateSize: () => rowHeight,
    overscan: 4,
    gap,
    scrollMargin: top,
  });
  // Heights measured with another number of columns are wrong.
  useLayoutEffect(() => virtual.measure(), [virtual, columns]);

  const shown = virtual.getVirtualItems();
  const first = shown[0];
  const last = shown.at(-1);
  const from = whole ? 0 : (first?.index ?? 0) * columns;
  const to = whole ? items.length : ((last?.index ?? -1) + 1) * columns;
  const end = useEndNear(items.length, onEndNear);

  return (
    <>
      <ul
        ref={list}
        aria-label={label}
        className={className}
        style={{
          display: "grid",
          gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          gap,
          paddingTop: whole || !first ? 0 : first.start - top,
          // Also before the first rows are measured: going back to a page needs its height to restore the scroll
          // position.
          paddingBottom: whole ? 0 : virtual.getTotalSize() - (last ? last.end - top : 0),
        }}
      >
        {items.slice(from, to).map((item, offset) => {
          const index = from + offset;
          const startsRow = index % columns === 0;
          return (
            <li
              key={itemKey(item)}
              ref={startsRow && !whole ? virtual.measureElement : undefined}
              data-index={startsRow ? index / columns : undefined}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              className="grid min-w-0"
            >
              <Cell item={item} render={renderItem} />
            </li>
          );
        })}
      </ul>
      <div ref={end} aria-hidden="true" />
    </>
  );
}

/** Scrolling changes which cells exist, not their content. */
function Cell<Item>({ item, render }: { item: Item; render: (item: Item) => ReactNode }) {
  return useMemo(() => render(item), [item, render]);
}

/** Where the list starts on the page; the content above it may change its height. */
function usePageOffset(element: React.RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setTop((element.current?.getBoundingClientRect().top ?? 0) + scrollY);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);
  return top;
}
