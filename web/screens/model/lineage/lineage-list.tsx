import { ChevronRight } from "lucide-react";

import { classes } from "../../../ui/classes.ts";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { LineageCard } from "./lineage-card.tsx";
import { FactList } from "./lineage-facts.tsx";
import { kindLooks } from "./lineage-kinds.ts";
import type { Column } from "./lineage-layout.ts";

interface LineageListProps {
  columns: readonly Column[];
  onPackages: (() => void) | undefined;
}

/** The same as the picture, from top to bottom. */
export function LineageList({ columns, onPackages }: LineageListProps) {
  return (
    <ol className="flex flex-col gap-4" data-testid="lineage-list">
      {columns.map(({ title, nodes }) => (
        <li key={title} className="flex flex-col gap-1.5">
          <h3 className="text-sm font-medium text-ink-muted">{title}</h3>
          <ul className="flex flex-col divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface">
            {nodes.map((node) => {
              const { icon: Icon, word, colour } = kindLooks[node.kind];
              const leads = node.address !== null || (node.kind === "packages" && onPackages !== undefined);
              return (
                <li key={node.id}>
                  <LineageCard
                    node={node}
                    onPackages={onPackages}
                    className={classes(
                      "flex w-full items-start gap-3 px-4 py-3 text-left -outline-offset-2",
                      leads ? "hover:bg-hover" : null,
                    )}
                  >
                    <Icon className={classes("mt-0.5 size-4 shrink-0", colour)} aria-hidden="true" />
                    <div className="min-w-0 flex-1 text-sm">
                      <span dir="auto" className="block font-medium wrap-anywhere">
                        {oneLine(node.label)} <span className="font-normal text-ink-muted">{word}</span>
                      </span>
                      <FactList node={node} />
                    </div>
                    {leads ? (
                      <ChevronRight className="mt-0.5 size-4 shrink-0 text-ink-faint" aria-hidden="true" />
                    ) : null}
                  </LineageCard>
                </li>
              );
            })}
          </ul>
        </li>
      ))}
    </ol>
  );
}
