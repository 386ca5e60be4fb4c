import { Search } from "lucide-react";
import { Suspense, useEffect, useState } from "react";

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

  useEffect(() => {
    function toggle(event: KeyboardEvent) {
      if (event.key.toLowerCase() !== limits.shortcutKey || !(event.metaKey || event.ctrlKey)) return;
      if (event.shiftKey || event.altKey || event.repeat) return;
      event.preventDefault();
      setWanted(true);
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
        <Suspense fallback={null}>
          <SearchDialog open={open} onOpenChange={setOpen} />
        </Suspense>
      ) : null}
    </>
  );
}

function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}
