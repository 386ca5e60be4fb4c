import { Menu } from "lucide-react";
import { useId, useRef } from "react";
import { Link, useLocation } from "react-router";

import { classes } from "../ui/classes.ts";
import { currentPlace, places } from "./section.ts";

interface SectionsNavProps {
  /** The bar has other things to show: the sections are in a menu at any width. */
  compact: boolean;
}

/** The sections of the product: a row where there is space, else a menu. */
export function SectionsNav({ compact }: SectionsNavProps) {
  return (
    <>
      {compact ? null : (
        <nav aria-label="Sections" className="ml-2 hidden min-w-0 items-center gap-0.5 lg:flex">
          <PlaceLinks className="h-8 rounded-md px-2.5" />
        </nav>
      )}
      <SectionsMenu className={compact ? "" : "lg:hidden"} />
    </>
  );
}

/** The browser closes it on Escape and on a click elsewhere, and gives the focus back. */
function SectionsMenu({ className }: { className: string }) {
  const id = useId();
  const menu = useRef<HTMLElement>(null);
  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        aria-label="Sections"
        className={classes(
          "order-first -ml-1 grid size-8 shrink-0 place-items-center rounded-md text-ink-muted transition-colors hover:bg-hover hover:text-ink",
          className,
        )}
      >
        <Menu className="size-4.5" aria-hidden="true" />
      </button>
      <nav
        ref={menu}
        id={id}
        popover="auto"
        aria-label="Sections"
        className="inset-auto top-13 left-2 w-52 flex-col rounded-xl bg-raised p-1.5 text-ink shadow-high open:flex"
      >
        <PlaceLinks className="h-10 rounded-md px-3" onOpen={() => menu.current?.hidePopover()} />
      </nav>
    </>
  );
}

function PlaceLinks({ className, onOpen }: { className: string; onOpen?: () => void }) {
  const { pathname } = useLocation();
  const current = currentPlace(pathname);
  return places.map(({ name, address }) => (
    <Link
      key={name}
      to={address}
      onClick={onOpen}
      aria-current={name === current ? "page" : undefined}
      className={classes(
        "flex shrink-0 items-center text-sm font-medium -outline-offset-2 transition-colors",
        name === current ? "bg-accent-soft text-accent-text" : "text-ink-muted hover:bg-hover hover:text-ink",
        className,
      )}
    >
      {name}
    </Link>
  ));
}
