import { libraryCategories, type LibraryCategory } from "@miranda/contract/words/library-categories.ts";

import { classes } from "../../../ui/classes.ts";
import { categoryIcons } from "./category-icons.ts";

const all = Object.keys(libraryCategories) as LibraryCategory[];

interface CategoryBarProps {
  chosen: LibraryCategory | undefined;
  onChoose: (category: LibraryCategory | undefined) => void;
}

/** The shelves of the library. A second press shows all of them again. */
export function CategoryBar({ chosen, onChoose }: CategoryBarProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset would need a visible legend
    <div role="group" aria-label="Categories" className="flex flex-wrap gap-1">
      {all.map((category) => {
        const { label, colour } = libraryCategories[category];
        const Icon = categoryIcons[category];
        const isChosen = category === chosen;
        return (
          <button
            key={category}
            type="button"
            title={label}
            aria-label={label}
            aria-pressed={isChosen}
            onClick={() => onChoose(isChosen ? undefined : category)}
            style={
              isChosen
                ? { background: `color-mix(in oklab, ${colour} 22%, transparent)`, color: colour }
                : { color: colour }
            }
            className={classes(
              "flex h-7 min-w-7 items-center justify-center gap-1.5 rounded-md px-1.5 text-xs font-medium",
              isChosen ? null : "hover:bg-hover",
            )}
          >
            <Icon className="size-4 shrink-0" aria-hidden="true" />
            {isChosen ? <span className="text-ink">{label}</span> : null}
          </button>
        );
      })}
    </div>
  );
}
