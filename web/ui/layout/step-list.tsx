import { useVirtualizer } from "@tanstack/react-virtual";
import { Check } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from "react";

import { classes } from "../classes.ts";

interface StepListProps<Item> {
  label: string;
  items: readonly Item[];
  itemKey: (item: Item) => string;
  /** The key of the chosen item. */
  chosen: string | undefined;
  onChoose: (item: Item) => void;
  renderItem: (item: Item, isChosen: boolean) => ReactNode;
  /** In pixels, roughly. Rows are measured. */
  rowHeight: number;
  className?: string;
  /** A tick box in front of each item. Undefined for an item without one. */
  isTicked?: (item: Item) => boolean | undefined;
  onTick?: (item: Item) => void;
  focusOnOpen?: boolean;
}

/** A list of any length to step through with the arrow keys. The space bar ticks. */
export function StepList<Item>(props: StepListProps<Item>) {
  const { label, items, itemKey, chosen, onChoose, renderItem, rowHeight, className, isTicked, onTick } = props;
  const id = useId();
  const area = useRef<HTMLDivElement>(null);
  const at = items.findIndex((item) => itemKey(item) === chosen);
  // oxlint-disable-next-line react/incompatible-library -- the library mutates its object, so nothing here is memoised
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => area.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollPaddingStart: 8,
    scrollPaddingEnd: 8,
  });
  const shown = virtual.getVirtualItems();

  useEffect(() => {
    if (props.focusOnOpen === true) area.current?.focus({ preventScroll: true });
    // Only when it opens.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  function go(to: number): void {
    const next = Math.max(0, Math.min(items.length - 1, to));
    const item = items[next];
    if (!item) return;
    virtual.scrollToIndex(next);
    onChoose(item);
  }

  function press(event: KeyboardEvent): void {
    const item = items[at];
    if (event.key === "ArrowDown") go(at + 1);
    else if (event.key === "ArrowUp") go(at === -1 ? 0 : at - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(items.length - 1);
    else if (event.key === " " && item && onTick && isTicked?.(item) !== undefined) onTick(item);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div
      ref={area}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- <select> cannot show rows like these
      role="listbox"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={at === -1 ? undefined : `${id}-${at}`}
      onKeyDown={press}
      className={classes("group/list min-h-0 overflow-y-auto focus-visible:outline-none", className)}
    >
      <div
        role="presentation"
        style={{
          paddingTop: shown[0]?.start ?? 0,
          paddingBottom: virtual.getTotalSize() - (shown.at(-1)?.end ?? 0),
        }}
      >
        {shown.map(({ index }) => {
          const item = items[index];
          if (!item) return null;
          const isChosen = index === at;
          const tick = isTicked?.(item);
          return (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the list has the focus and the keys
            <div
              key={itemKey(item)}
              id={`${id}-${index}`}
              ref={virtual.measureElement}
              data-index={index}
              // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- nor can <option>
              role="option"
              aria-selected={isChosen}
              aria-checked={tick}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              onClick={() => onChoose(item)}
              className={classes(
                "flex cursor-default items-start gap-2.5 rounded-md px-2.5 py-2",
                isChosen
                  ? "bg-accent-soft outline-2 -outline-offset-2 outline-transparent group-focus-visible/list:outline-(--ring)"
                  : "hover:bg-hover",
              )}
            >
              {tick === undefined ? null : (
                // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the space bar does it
                <span
                  data-tick=""
                  onClick={(event) => {
                    event.stopPropagation();
                    onTick?.(item);
                  }}
                  className={classes(
                    "mt-0.5 grid size-4 shrink-0 place-items-center rounded-sm border",
                    tick ? "border-accent bg-accent text-accent-ink" : "border-line-strong bg-surface",
                  )}
                >
                  {tick ? <Check className="size-3" strokeWidth={3} aria-hidden="true" /> : null}
                </span>
              )}
              <div className="min-w-0 flex-1">{renderItem(item, isChosen)}</div>
            </div>
          );
        })}
      </div>
    </div>
  );
}
