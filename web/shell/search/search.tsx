import { Search } from "lucide-react";
import { Suspense, useEffect, useLayoutEffect, useRef, useState } from "react";

import { lazyPart } from "../../load-part.ts";
import { search as limits } from "../../limits.ts";

import { classes } from "../../ui/classes.ts";

const loadDialog = () => import("./search-dialog.tsx");
const SearchDialog = lazyPart(() => loadDialog().then((module) => ({ default: module.SearchDialog })));

// An icon where there is little space, otherwise it looks like a field.
const roomy = {
  button: "max-sm:w-8 max-sm:justify-center sm:w-48 sm:pr-1.5 sm:pl-2.5 lg:w-60",
  label: "max-sm:sr-only",
  key: "max-sm:hidden",
};
const tight = {
  button: "max-xl:w-8 max-xl:justify-center xl:w-60 xl:pr-1.5 xl:pl-2.5",
  label: "max-xl:sr-only",
  key: "max-xl:hidden",
};

/** The search button and its shortcut. The palette itself loads just before it is used. */
export function SearchSlot({ compact }: { compact: boolean }) {
  const shape = compact ? tight : roomy;
  const [open, setOpen] = useState(false);
  const [wanted, setWanted] = useState(false);
  /** What was typed while the palette was loading. */
  const [typed, setTyped] = useState("");

  useEffect(() => {
    function toggle(event: KeyboardEvent) {
      if (event.key.toLowerCase() !== limits.shortcutKey || !(event.metaKey || event.ctrlKey)) return;
      if (event.shiftKey || event.altKey || event.repeat) return;
      event.preventDefault();
      setWanted(true);
      setTyped("");
      setOpen((open) => !open);
    }
    addEventListener("keydown", toggle);
    return () => removeEventListener("keydown", toggle);
  }, []);

  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onPointerEnter={() => void loadDialog().catch(() => undefined)}
        onClick={() => {
          setWanted(true);
          setTyped("");
          setOpen(true);
        }}
        className={classes(
          "flex h-8 shrink-0 items-center gap-2 rounded-md border border-line bg-canvas text-ink-muted transition-colors hover:border-line-strong hover:text-ink",
          shape.button,
        )}
      >
        <Search className="size-4 shrink-0" aria-hidden="true" />
        <span className={classes("flex-1 text-left text-sm", shape.label)}>Search</span>
        <kbd
          aria-hidden="true"
          className={classes(
            "rounded-sm border border-line bg-surface px-1.5 font-sans text-2xs text-ink-faint",
            shape.key,
          )}
        >
          {isApple() ? "⌘K" : "Ctrl K"}
        </kbd>
      </button>
      {wanted ? (
        <Suspense fallback={open ? <TypedAhead onType={setTyped} onClose={() => setOpen(false)} /> : null}>
          <SearchDialog
            open={open}
            typed={typed}
            onOpenChange={(next) => {
              setTyped("");
              setOpen(next);
            }}
          />
        </Suspense>
      ) : null}
    </>
  );
}

interface TypedAheadProps {
  onType: (change: (text: string) => string) => void;
  onClose: () => void;
}

/** Keeps what a person types before the palette is there. Otherwise the keys would reach the screen below. */
function TypedAhead({ onType, onClose }: TypedAheadProps) {
  const latest = useRef({ onType, onClose });
  useLayoutEffect(() => {
    latest.current = { onType, onClose };
  });
  useEffect(() => {
    function keep(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const { onType, onClose } = latest.current;
      if (event.key === "Escape") onClose();
      else if (event.key === "Backspace") onType((text) => text.slice(0, -1));
      else if (event.key.length === 1) onType((text) => text + event.key);
    }
    addEventListener("keydown", keep, true);
    return () => removeEventListener("keydown", keep, true);
  }, []);
  return null;
}

function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}
