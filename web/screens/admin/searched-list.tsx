import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

import { adminLists } from "@miranda/contract/admin-limits.ts";

import { Button } from "../../ui/button.tsx";
import { SearchField } from "../../ui/form/search-field.tsx";
import type { useDebouncedText } from "../../ui/form/use-debounced-text.ts";
import { Card } from "../../ui/layout/card.tsx";
import { EmptyState } from "../../ui/layout/empty-state.tsx";

interface SearchedListProps<Item extends { id: string }> {
  title: string;
  description: ReactNode;
  search: ReturnType<typeof useDebouncedText>;
  searchLabel: string;
  /** The name of the list for screen readers. */
  label: string;
  items: readonly Item[];
  /** Shown in place of the list when it could not be loaded. The search stays, so that people can change it. */
  failure?: ReactNode;
  render: (item: Item) => ReactNode;
  empty: { icon: LucideIcon; title: string; text: string };
  /** What the list has when a search finds nothing: "No matching sessions". */
  noMatch: string;
  pages: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
}

/** A list of the whole installation with a search field, page by page. */
export function SearchedList<Item extends { id: string }>(props: SearchedListProps<Item>) {
  const { title, description, search, searchLabel, label, items, failure, render, empty, noMatch, pages } = props;
  const isSearching = search.committed.trim() !== "";
  return (
    <section className="flex flex-col gap-4" aria-label={title}>
      <div className="flex flex-wrap items-center gap-3">
        <div className="mr-auto max-w-2xl">
          <h2 className="text-lg font-semibold">{title}</h2>
          <p className="text-sm text-ink-muted">{description}</p>
        </div>
        <SearchField
          label={searchLabel}
          value={search.text}
          maxLength={adminLists.queryMax}
          onChange={(event) => search.setText(event.target.value)}
          onBlur={search.commit}
          busy={search.isWaiting}
          className="w-full sm:w-80"
        />
      </div>
      {failure ? (
        failure
      ) : items.length === 0 ? (
        <EmptyState icon={empty.icon} title={isSearching ? noMatch : empty.title}>
          {isSearching ? "Try another search." : empty.text}
        </EmptyState>
      ) : (
        <Card className="overflow-hidden">
          <ul aria-label={label} className="divide-y divide-line">
            {items.map((item) => (
              <li key={item.id}>{render(item)}</li>
            ))}
          </ul>
          {pages.hasNextPage ? (
            <div className="border-t border-line bg-sunken px-5 py-3">
              <Button size="sm" busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
                Show more
              </Button>
            </div>
          ) : null}
        </Card>
      )}
    </section>
  );
}
