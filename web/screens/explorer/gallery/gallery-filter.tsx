import { X } from "lucide-react";
import { useState } from "react";

import { classes } from "../../../ui/classes.ts";

interface GalleryFilterProps {
  show: "all" | "favourites";
  tag: string;
  tags: readonly string[];
  onShow: (show: "all" | "favourites") => void;
  onTag: (tag: string) => void;
}

const tagsShown = 12;

const chip =
  "inline-flex h-9 shrink-0 items-center gap-1.5 rounded-full border px-3.5 text-sm font-medium whitespace-nowrap transition-colors";
const off = "border-line bg-surface text-ink-muted hover:border-line-strong hover:text-ink";
const on = "border-transparent bg-accent-soft text-accent-text";

/** What the gallery shows: all apps or favourites, and those with a tag. */
export function GalleryFilter({ show, tag, tags, onShow, onTag }: GalleryFilterProps) {
  const [isOpen, setOpen] = useState(false);
  const others = tags.filter((one) => one !== tag);
  const shown = isOpen ? others : others.slice(0, tagsShown);
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset cannot scroll
      role="group"
      aria-label="Filter"
      className="-mx-4 flex min-w-0 gap-2 overflow-x-auto px-4 py-1 sm:mx-0 sm:px-1"
    >
      {(["all", "favourites"] as const).map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={show === one}
          onClick={() => onShow(one)}
          className={classes(chip, show === one ? on : off)}
        >
          {one === "all" ? "All" : "Favourites"}
        </button>
      ))}
      {tags.length > 0 || tag !== "" ? (
        <span aria-hidden="true" className="my-2 w-px shrink-0 bg-line-strong/60" />
      ) : null}
      {tag === "" ? null : (
        <button type="button" aria-pressed="true" onClick={() => onTag("")} className={classes(chip, on)}>
          {tag}
          <X className="size-3.5" aria-hidden="true" />
          <span className="sr-only">Show all tags</span>
        </button>
      )}
      {shown.map((one) => (
        <button key={one} type="button" aria-pressed="false" onClick={() => onTag(one)} className={classes(chip, off)}>
          {one}
        </button>
      ))}
      {shown.length < others.length ? (
        <button type="button" onClick={() => setOpen(true)} className={classes(chip, off)}>
          {others.length - shown.length} more
        </button>
      ) : null}
    </div>
  );
}
