import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Compass, SearchX, Star } from "lucide-react";
import { useEffect, useMemo } from "react";
import { Link, useSearchParams } from "react-router";

import { type AppFilter, appsQuery, appTagsQuery } from "../../../api/apps/apps.ts";
import { loadMore } from "../../../api/pages.ts";
import { debounce } from "../../../limits.ts";
import { Button, buttonClasses } from "../../../ui/button.tsx";
import { SearchField } from "../../../ui/form/search-field.tsx";
import { useDebouncedText } from "../../../ui/form/use-debounced-text.ts";
import { HandbookLink } from "../../../shell/handbook-link.tsx";
import { EmptyState } from "../../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { Page } from "../../../ui/layout/page.tsx";
import { Skeleton } from "../../../ui/layout/skeleton.tsx";
import { Spinner } from "../../../ui/layout/spinner.tsx";
import { useMedia } from "../../../ui/layout/use-media.ts";
import { VirtualGrid } from "../../../ui/layout/virtual-grid.tsx";
import { AppCard } from "./app-card.tsx";
import { GalleryFilter } from "./gallery-filter.tsx";
import { RecentApps } from "./recent-apps.tsx";

const noTags: readonly string[] = [];

/** Everything that the person may use. */
export function GalleryScreen() {
  const { filter, search, change } = useFilter();
  const { data, error, isPending, isFetching, isPlaceholderData, refetch, ...more } = useInfiniteQuery({
    ...appsQuery(filter),
    placeholderData: keepPreviousData,
  });
  const apps = useMemo(() => data?.pages.flatMap((page) => page.apps) ?? [], [data]);
  const { data: tags = noTags } = useQuery(appTagsQuery);
  const columns = useColumns();
  const isFiltered = filter.query !== "" || filter.tag !== "" || filter.show !== "all";

  return (
    <Page title="Apps" description="Made by people you work with. Open one, fill in its form, and run it." wide>
      <div className="-mt-2 flex min-w-0 flex-col gap-3 sm:flex-row sm:items-center">
        <SearchField
          label="Search apps"
          value={search.text}
          onChange={(event) => search.setText(event.target.value)}
          onBlur={search.commit}
          onKeyDown={(event) => event.key === "Enter" && search.commit()}
          busy={search.isWaiting || isPlaceholderData}
          className="w-full shrink-0 sm:max-w-sm"
        />
        <GalleryFilter
          show={filter.show === "favourites" ? "favourites" : "all"}
          tag={filter.tag}
          tags={tags}
          onShow={(show) => change({ show })}
          onTag={(tag) => change({ tag })}
        />
      </div>
      {isFiltered ? null : <RecentApps />}
      {isPending ? <Loading columns={columns} /> : null}
      {!data && error ? (
        <LoadFailure
          title="Apps could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      ) : null}
      {data && apps.length === 0 ? (
        <Nothing filter={filter} onClear={() => change({ query: "", tag: "", show: "all" })} />
      ) : null}
      {apps.length > 0 ? (
        <section aria-label="Apps">
          {isFiltered ? null : <h2 className="mb-3 text-sm font-medium text-ink-muted">All apps</h2>}
          <VirtualGrid
            label="Apps"
            items={apps}
            itemKey={(app) => app.id}
            renderItem={(app) => <AppCard app={app} onTag={(tag) => change({ tag })} />}
            columns={columns}
            gap={16}
            rowHeight={columns === 1 ? 120 : 300}
            onEndNear={() => loadMore(more)}
          />
        </section>
      ) : null}
      {more.isFetchingNextPage ? <Spinner label="Loading more apps" showLabel className="self-center" /> : null}
      {more.isFetchNextPageError ? (
        <LoadFailure
          title="More apps could not be loaded"
          message={error?.message ?? ""}
          onRetry={() => void more.fetchNextPage()}
        />
      ) : null}
    </Page>
  );
}

function Nothing({ filter, onClear }: { filter: AppFilter; onClear: () => void }) {
  if (filter.query !== "" || filter.tag !== "")
    return (
      <EmptyState icon={SearchX} title="Nothing found" action={<Button onClick={onClear}>Show all apps</Button>}>
        {filter.query === "" ? `No app has the tag “${filter.tag}”.` : `No app matches “${filter.query}”.`}
      </EmptyState>
    );
  if (filter.show === "favourites")
    return (
      <EmptyState icon={Star} title="No favourites yet" action={<Button onClick={onClear}>Show all apps</Button>}>
        Press the star of an app to find it here.
      </EmptyState>
    );
  return (
    <EmptyState
      icon={Compass}
      title="No apps yet"
      action={
        <div className="flex flex-col items-center gap-4">
          <Link to="/designer/" className={buttonClasses()}>
            Go to the Designer
          </Link>
          <HandbookLink page="deploying">How to deploy a workflow</HandbookLink>
        </div>
      }
    >
      An app is a workflow that somebody deployed. Ask for access to one, or open a workflow of your own and press
      Deploy.
    </EmptyState>
  );
}

function Loading({ columns }: { columns: number }) {
  return (
    <div className="grid gap-4" style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
      <Spinner label="Loading apps" className="sr-only" />
      {Array.from({ length: columns * 2 }, (_, index) => (
        <Skeleton key={index} className="h-28 sm:h-72" />
      ))}
    </div>
  );
}

function useColumns(): number {
  const some = useMedia("(min-width: 40rem)");
  const many = useMedia("(min-width: 60rem)");
  return many ? 3 : some ? 2 : 1;
}

/** Keeps the filter in the address, so that going back restores it. */
function useFilter() {
  const [parameters, setParameters] = useSearchParams();
  const filter: AppFilter = {
    query: parameters.get("query") ?? "",
    tag: parameters.get("tag") ?? "",
    show: parameters.get("show") === "favourites" ? "favourites" : "all",
  };
  const search = useDebouncedText(debounce.filter, filter.query);
  const change = (changes: Partial<AppFilter>) => {
    const next = { ...filter, ...changes };
    if (changes.query === "") search.setText("");
    setParameters(
      {
        ...(next.query.trim() !== "" && { query: next.query }),
        ...(next.tag !== "" && { tag: next.tag }),
        ...(next.show !== "all" && { show: next.show }),
      },
      { replace: true, preventScrollReset: true },
    );
  };
  const { committed } = search;
  useEffect(() => {
    if (committed !== filter.query) change({ query: committed });
    // oxlint-disable-next-line react/exhaustive-deps -- only typing changes the address here
  }, [committed]);
  return { filter, search, change };
}
