import { Search } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";

import { classes } from "../../../ui/classes.ts";

interface QuickListProps<Item> {
  label: string;
  items: readonly Item[];
  /** Set while the items are those of an earlier text: what Enter would choose if they were not. */
  upcoming?: (() => Item | undefined) | undefined;
  itemKey: (item: Item) => string;
  text: string;
  onText: (text: string) => void;
  onChoose: (item: Item, event: { shiftKey: boolean }) => void;
  onClose: () => void;
  /** Drawn beside the list, for the item that Enter would choose. */
  renderActive?: (item: Item | undefined) => ReactNode;
  renderItem: (item: Item) => ReactNode;
  empty: ReactNode;
  footer?: ReactNode;
}

const maxShown = 200;

/** A search box with results, for adding, finding and connecting: type, arrow keys, Enter. */
export function QuickList<Item>({ items, itemKey, ...props }: QuickListProps<Item>) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(0);
  const shown = items.slice(0, maxShown);
  const active = Math.min(at, shown.length - 1);
  useEffect(() => input.current?.focus({ preventScroll: true }), []);

  function point(index: number): void {
    const next = (index + shown.length) % Math.max(shown.length, 1);
    setAt(next);
    list.current?.children[next]?.scrollIntoView({ block: "nearest" });
  }

  function press(event: KeyboardEvent): void {
    const item = event.key === "Enter" && props.upcoming ? props.upcoming() : shown[active];
    if (event.key === "ArrowDown") point(active + 1);
    else if (event.key === "ArrowUp") point(active - 1);
    else if (event.key === "Enter" && item) props.onChoose(item, event);
    else if (event.key === "Escape") props.onClose();
    else return event.stopPropagation();
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div role="presentation" onKeyDown={press} className="flex min-h-0 flex-col">
      <div className="flex items-center gap-2 border-b border-line px-3">
        <Search className="size-4 shrink-0 text-ink-faint" aria-hidden="true" />
        <input
          ref={input}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- it is an input
          role="combobox"
          aria-label={props.label}
          aria-expanded={shown.length > 0}
          aria-controls={id}
          aria-activedescendant={shown[active] ? `${id}-${active}` : undefined}
          placeholder={props.label}
          value={props.text}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => {
            props.onText(event.target.value);
            setAt(0);
          }}
          className="h-10 min-w-0 flex-1 bg-transparent text-base outline-none"
        />
      </div>
      <div
        ref={list}
        id={id}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an option element holds text only
        role="listbox"
        aria-label={props.label}
        className="nowheel min-h-0 overflow-y-auto p-1"
      >
        {shown.map((item, index) => (
          <div
            key={itemKey(item)}
            id={`${id}-${index}`}
            // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an option element holds text only
            role="option"
            aria-selected={index === active}
            tabIndex={-1}
            onClick={(event) => props.onChoose(item, event)}
            onKeyDown={undefined}
            onPointerMove={() => index === at || setAt(index)}
            className={classes(
              "cursor-default rounded-md px-2 py-1.5 select-none",
              index === active ? "bg-hover" : null,
            )}
          >
            {props.renderItem(item)}
          </div>
        ))}
      </div>
      {shown.length === 0 ? <p className="px-3 pb-4 pt-2 text-center text-sm text-ink-muted">{props.empty}</p> : null}
      {props.footer}
      {props.renderActive?.(shown[active])}
    </div>
  );
}
