import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useLayoutEffect, useRef } from "react";

import { useEndNear } from "./use-end-near.ts";

// Up to this number every row is on the page, so that the browser's find works.
const wholeUpTo = 100;

interface VirtualListProps<Item> {
  label: string;
  items: readonly Item[];
  itemKey: (item: Item) => string;
  renderItem: (item: Item) => ReactNode;
  /** In pixels, roughly. Rows are measured. */
  rowHeight: number;
  /** The scrolling area, which limits the height. */
  className: string;
  /** What the list was searched for. Another search starts at the top; its rows are not made anew, so a click is not lost. */
  search?: string;
  /** Called near the end, to load more. */
  onEndNear?: (() => void) | undefined;
  /** Below the rows. */
  footer?: ReactNode;
  /** The rows contain only text, so the scrolling area must be focusable. */
  reading?: boolean;
}

/** A list of any length in its own scrolling area. Of a long list only the visible rows exist. */
export function VirtualList<Item>(props: VirtualListProps<Item>) {
  const { label, items, itemKey, renderItem, rowHeight, className, search, onEndNear, footer, reading = false } = props;
  const area = useRef<HTMLDivElement>(null);
  const end = useEndNear(items.length, onEndNear, area);
  const whole = items.length <= wholeUpTo;
  // oxlint-disable-next-line react/incompatible-library -- the library mutates its object, so nothing here is memoised
  const virtual = useVirtualizer({
    count: items.length,
    enabled: !whole,
    getScrollElement: () => area.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  useLayoutEffect(() => {
    area.current?.scrollTo({ top: 0 });
  }, [search]);
  const shown = virtual.getVirtualItems();
  const first = whole ? 0 : (shown[0]?.index ?? 0);
  const last = whole ? items.length : (shown.at(-1)?.index ?? -1) + 1;

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- only when nothing inside can be focused
    <div ref={area} tabIndex={reading ? 0 : undefined} className={className}>
      <ul
        aria-label={label}
        style={{
          paddingTop: whole ? 0 : (shown[0]?.start ?? 0),
          paddingBottom: whole ? 0 : virtual.getTotalSize() - (shown.at(-1)?.end ?? 0),
        }}
      >
        {items.slice(first, last).map((item, offset) => (
          <li
            key={itemKey(item)}
            ref={whole ? undefined : virtual.measureElement}
            data-index={first + offset}
            aria-setsize={items.length}
            aria-posinset={first + offset + 1}
          >
            {renderItem(item)}
          </li>
        ))}
      </ul>
      <div ref={end} aria-hidden="true" />
      {footer}
    </div>
  );
}
