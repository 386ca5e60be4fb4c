import { useState } from "react";

import { classes } from "../../../ui/classes.ts";
import type { PaletteItem } from "./palette-items.ts";

/** A picture of what an item shows, and all of its description. The list already says it, so readers skip the picture. */
export function ItemPreview({ item, className }: { item: PaletteItem | undefined; className?: string }) {
  const [broken, setBroken] = useState<string>();
  if (!item?.picture || broken === item.picture) return null;
  return (
    <figure className={classes("overflow-hidden", className)} data-testid="item-preview">
      {/* Charts are drawn on white; the small blueprints have no background of their own. */}
      <img
        src={item.picture}
        alt=""
        loading="lazy"
        decoding="async"
        draggable={false}
        width={320}
        height={200}
        onError={() => setBroken(item.picture)}
        className={classes(
          "aspect-[16/10] w-full rounded-md border border-line object-contain",
          item.type === "blueprint" ? "bg-surface" : "bg-white",
        )}
      />
      <figcaption dir="auto" className="mt-1.5 text-xs text-ink-muted">
        {item.description}
      </figcaption>
    </figure>
  );
}
