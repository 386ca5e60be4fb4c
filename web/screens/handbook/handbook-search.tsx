import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useNavigate } from "react-router";

import { classes } from "../../ui/classes.ts";
import { SearchField } from "../../ui/form/search-field.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { type Found, type IndexedSection, loadIndex, searchHandbook } from "./search-handbook.ts";

/** Searches all pages in the browser. "/" puts the cursor here. */
export function HandbookSearch() {
  const id = useId();
  const navigate = useNavigate();
  const [query, setQuery] = useState("");
  const [index, setIndex] = useState<readonly IndexedSection[]>();
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(0);
  const field = useSlashKey();
  const found = index ? searchHandbook(index, query) : [];
  const isShown = isOpen && query.trim() !== "" && index !== undefined;

  const load = () => {
    if (!index) toastFailure(loadIndex().then(setIndex));
  };

  function open({ section }: Found) {
    setOpen(false);
    setQuery("");
    field.current?.blur();
    void navigate(`/docs/${section.page.name}${section.anchor ? `#${section.anchor}` : ""}`);
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const one = found[chosen];
    if (step !== 0 && found.length > 0) setChosen((chosen + step + found.length) % found.length);
    else if (event.key === "Enter" && one) open(one);
    else if (event.key === "Escape" && isShown) setOpen(false);
    else return;
    event.preventDefault();
  }

  return (
    <search className="relative block">
      <SearchField
        ref={field}
        label="Search the handbook"
        value={query}
        maxLength={200}
        busy={query !== "" && !index}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- it is an input
        role="combobox"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-activedescendant={isShown && found.length > 0 ? `${id}-${chosen}` : undefined}
        onFocus={() => {
          load();
          setOpen(true);
        }}
        onBlur={() => setOpen(false)}
        onChange={(event) => {
          load();
          setQuery(event.target.value);
          setChosen(0);
          setOpen(true);
        }}
        onKeyDown={onKeyDown}
      />
      {isShown ? (
        <div className="absolute top-full z-20 max-lg:right-0 lg:left-0 mt-1.5 w-[min(34rem,calc(100vw-2rem))] overflow-hidden rounded-lg bg-raised shadow-high">
          {found.length === 0 ? (
            <output className="block px-4 py-3 text-sm text-ink-muted">Nothing found.</output>
          ) : null}
          <div
            id={`${id}-list`}
            // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an option element holds text only
            role="listbox"
            tabIndex={-1}
            aria-label="Found"
            className="max-h-[min(26rem,60dvh)] overflow-y-auto"
          >
            {found.map((one, at) => (
              <Result
                key={`${one.section.page.name}#${one.section.anchor}`}
                id={`${id}-${at}`}
                found={one}
                isChosen={at === chosen}
                onOpen={() => open(one)}
              />
            ))}
          </div>
        </div>
      ) : null}
    </search>
  );
}

interface ResultProps {
  id: string;
  found: Found;
  isChosen: boolean;
  onOpen: () => void;
}

function Result({ id, found: { section, excerpt }, isChosen, onOpen }: ResultProps) {
  const item = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isChosen) item.current?.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the keys are handled by the field
    <div
      ref={item}
      id={id}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an option element holds text only
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      // The field would lose the focus, and the list would be gone before the click.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onOpen}
      className={classes("cursor-pointer px-4 py-2.5", isChosen ? "bg-accent-soft" : "hover:bg-hover")}
    >
      <span className="block text-sm font-medium">
        {section.heading}
        {section.anchor ? <span className="font-normal text-ink-muted"> · {section.page.title}</span> : null}
      </span>
      <span className="line-clamp-2 text-sm text-ink-muted">{excerpt}</span>
    </div>
  );
}

function useSlashKey() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent) => {
      const { target } = event;
      const isWriting = target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isWriting) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  return field;
}
