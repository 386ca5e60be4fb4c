import { Check } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";

import { classes } from "../classes.ts";
import { SearchField } from "../form/search-field.tsx";
import { useEndNear } from "./use-end-near.ts";

interface SearchListProps<Item> {
  /** The placeholder and the accessible name. */
  label: string;
  listLabel: string;
  text: string;
  onText: (text: string) => void;
  /** Searches for the typed text at once, without waiting for a pause. */
  onCommit: () => void;
  items: readonly Item[];
  itemKey: (item: Item) => string;
  chosen: string | undefined;
  onChoose: (item: Item) => void;
  renderItem: (item: Item) => ReactNode;
  /** The items belong to an earlier text. */
  busy: boolean;
  /** Shown instead of items, or below them. */
  status?: ReactNode;
  onEscape?: () => void;
  focusOnOpen?: boolean;
  /** Called near the end, to load more. */
  onEndNear?: (() => void) | undefined;
}

/** A search box above its results. Arrow keys move and Enter chooses, in the box and in the results. */
export function SearchList<Item>(props: SearchListProps<Item>) {
  const { items, itemKey, chosen, busy } = props;
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const end = useEndNear(items.length, props.onEndNear, list);
  const [pointed, setPointed] = useState<string | undefined>(undefined);
  const found = items.findIndex((item) => itemKey(item) === pointed);
  const active = Math.max(found, 0);
  // Mark no row before somebody searches or points: it would look chosen.
  const isMarked = found !== -1 || props.text.trim() !== "";

  function point(index: number) {
    const item = items[(index + items.length) % items.length];
    if (!item) return;
    setPointed(itemKey(item));
    const option = list.current?.querySelector<HTMLElement>(`[data-option="${CSS.escape(itemKey(item))}"]`);
    option?.scrollIntoView({ block: "nearest" });
    if (list.current?.contains(document.activeElement)) option?.focus();
  }

  function press(event: KeyboardEvent) {
    const inOption = event.target instanceof HTMLElement && event.target.dataset["option"] !== undefined;
    if (event.key === "ArrowDown") point(found === -1 && !inOption ? 0 : active + 1);
    else if (event.key === "ArrowUp") point(active - 1);
    else if (event.key === "Enter" || (event.key === " " && inOption)) chooseOrCommit(inOption);
    else if (event.key === "Escape" && props.onEscape) props.onEscape();
    else return;
    event.preventDefault();
  }

  function chooseOrCommit(inOption: boolean) {
    const item = items[active];
    if (busy && !inOption) props.onCommit();
    else if (item) props.onChoose(item);
  }

  const activeItem = items[active];
  return (
    <div role="presentation" onKeyDown={press} data-takes-escape={props.onEscape ? "" : undefined}>
      <SearchField
        label={props.label}
        value={props.text}
        onChange={(event) => {
          // Other results start at the top.
          if (list.current) list.current.scrollTop = 0;
          props.onText(event.target.value);
        }}
        onBlur={props.onCommit}
        busy={busy}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- it is an input
        role="combobox"
        aria-expanded={items.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={activeItem ? `${id}-${itemKey(activeItem)}` : undefined}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person has just opened it
        autoFocus={props.focusOnOpen}
      />
      <div
        ref={list}
        id={id}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an option element holds text only
        role="listbox"
        aria-label={props.listLabel}
        aria-busy={busy}
        className={classes("mt-2 max-h-80 overflow-y-auto overscroll-contain", items.length === 0 ? "hidden" : null)}
      >
        {items.map((item, index) => {
          const key = itemKey(item);
          return (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the keys are handled around box and results
            <div
              key={key}
              id={`${id}-${key}`}
              data-option={key}
              // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an option element holds text only
              role="option"
              aria-selected={key === chosen}
              tabIndex={index === active ? 0 : -1}
              onClick={() => props.onChoose(item)}
              onFocus={() => setPointed(key)}
              onPointerMove={() => pointed === key || setPointed(key)}
              className={classes(
                // The browser skips the options that are out of view.
                "flex cursor-default items-start gap-3 rounded-md px-2.5 py-2 -outline-offset-2 select-none [contain-intrinsic-size:auto_3rem] [content-visibility:auto]",
                rowColour(key === chosen, index === active && isMarked),
              )}
            >
              <div className="min-w-0 flex-1">{props.renderItem(item)}</div>
              <Check
                aria-hidden="true"
                data-testid={key === chosen ? "check-mark" : undefined}
                className={classes("mt-0.5 size-4 shrink-0 text-accent-text", key === chosen ? null : "invisible")}
              />
            </div>
          );
        })}
        <div ref={end} aria-hidden="true" />
      </div>
      {props.status}
    </div>
  );
}

function rowColour(isChosen: boolean, isMarked: boolean): string | null {
  if (isChosen) return "bg-accent-soft";
  return isMarked ? "bg-hover" : null;
}
