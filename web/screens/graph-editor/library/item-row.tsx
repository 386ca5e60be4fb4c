import { libraryCategories } from "@miranda/contract/words/library-categories.ts";
import { Blocks, Braces, Cpu, Database, StickyNote } from "lucide-react";

import { oneLine } from "../../../ui/text/drawable-text.ts";
import { classLooks } from "../cards/kind-colours.ts";
import { categoryIcons } from "./category-icons.ts";
import type { PaletteItem } from "./palette-items.ts";

const icons = {
  Code_block: Braces,
  compute_policy: Cpu,
  storage_policy: Database,
  note: StickyNote,
  ghost: Braces,
  blueprint: Blocks,
} as const;

/** An item of the palette and the library. */
export function ItemRow({ item }: { item: PaletteItem }) {
  const Icon = item.category ? categoryIcons[item.category] : icons[item.class];
  const colour = colourOf(item);
  return (
    <div className="flex items-center gap-2.5">
      <span
        className="grid size-7 shrink-0 place-items-center rounded-md"
        style={{ background: `color-mix(in oklab, ${colour} 16%, transparent)`, color: colour }}
      >
        <Icon className="size-4" aria-hidden="true" />
      </span>
      <span className="min-w-0 flex-1">
        <span dir="auto" className="block truncate text-sm font-medium">
          {item.title}
        </span>
        <span dir="auto" className="block truncate text-xs text-ink-muted">
          {oneLine(item.description) || " "}
        </span>
      </span>
      {item.type === "blueprint" ? (
        <span className="shrink-0 text-xs text-ink-faint tabular-nums">{item.count} nodes</span>
      ) : null}
    </div>
  );
}

function colourOf({ category, ...item }: PaletteItem): string {
  if (category) return libraryCategories[category].colour;
  return item.class === "blueprint" ? "var(--success)" : classLooks[item.class].colour;
}
