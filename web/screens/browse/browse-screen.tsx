import { Compass } from "lucide-react";
import { useEffect, useId } from "react";
import { Link, useSearchParams } from "react-router";

import { debounce, preview } from "../../limits.ts";
import type { Project } from "@miranda/contract/schemas/projects.ts";

import { loadMore } from "../../api/pages.ts";
import { useBrowsedProjects } from "../../api/projects.ts";
import { countedTotal, isShortSearch } from "../../format/list-total.ts";
import { CreatorLine } from "../../shell/project/creator.tsx";
import { FollowButton } from "../../shell/project/follow-button.tsx";
import { ProjectCard } from "../../shell/project/project-card.tsx";
import { useTopBar } from "../../shell/top-bar-context.tsx";
import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { Page } from "../../ui/layout/page.tsx";
import { SearchField } from "../../ui/form/search-field.tsx";
import { plainMarkdown } from "../../ui/markdown/plain-markdown.ts";
import { shorten } from "../../ui/text/shorten.ts";
import { Skeleton } from "../../ui/layout/skeleton.tsx";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { useDebouncedText } from "../../ui/form/use-debounced-text.ts";
import { useMedia } from "../../ui/layout/use-media.ts";
import { VirtualGrid } from "../../ui/layout/virtual-grid.tsx";

const typeMore = "Type three letters to search all.";

export function BrowseScreen() {
  useTopBar({ back: "/designer/" });
  const search = useAddressedSearch();
  const query = search.committed.trim();
  const [parameters] = useSearchParams();
  const by = parameters.get("by") ?? "";
  const { data, error, isPending, isFetching, isPlaceholderData, refetch, ...more } = useBrowsedProjects(query, by);
  const columns = useColumns();

  return (
    <Page
      title={by ? `Projects of ${by}` : "Browse projects"}
      description={by ? "Those that you may see." : "Public and shared projects."}
      wide
    >
      <div className="-mt-2 flex flex-wrap items-center gap-x-4 gap-y-2">
        <SearchField
          label="Search projects"
          value={search.text}
          onChange={(event) => search.setText(event.target.value)}
          onBlur={search.commit}
          onKeyDown={(event) => event.key === "Enter" && search.commit()}
          busy={search.isWaiting || isPlaceholderData}
          className="w-full sm:max-w-sm"
        />
        {data && data.items.length > 0 ? <HowMany total={data.total} query={query} /> : null}
      </div>
      {isPending ? <Loading columns={columns} /> : null}
      {!data && error ? (
        <LoadFailure
          title="Projects could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      ) : null}
      {data?.items.length === 0 ? <Nothing query={query} by={by} /> : null}
      {data && data.items.length > 0 ? (
        <VirtualGrid
          label="Projects"
          items={data.items}
          itemKey={(project) => project.id}
          renderItem={(project) => <BrowseCard project={project} />}
          columns={columns}
          gap={16}
          rowHeight={190}
          onEndNear={() => loadMore(more)}
        />
      ) : null}
      {more.isFetchingNextPage ? <Spinner label="Loading more projects" showLabel className="self-center" /> : null}
      {more.isFetchNextPageError ? (
        <LoadFailure
          title="No more projects could be loaded"
          message={error?.message ?? ""}
          onRetry={() => void more.fetchNextPage()}
        />
      ) : null}
    </Page>
  );
}

function BrowseCard({ project }: { project: Project }) {
  const nameId = useId();
  return (
    <ProjectCard
      project={project}
      preview={shorten(plainMarkdown(project.description), {
        ...{ whole: preview.browseWhole, cut: preview.browseCut, ending: "…" },
      })}
      footer={<CreatorLine project={project} />}
      nameId={nameId}
      action={<FollowButton project={project} describedBy={nameId} size="sm" />}
    />
  );
}

/** How many projects there are, and what a short text does not search. */
function HowMany({ total, query }: { total: string | undefined; query: string }) {
  return (
    <output className="text-sm text-ink-muted tabular-nums">
      {total === undefined ? null : countedTotal(total, "project")}
      {isShortSearch(query) ? ` among the newest. ${typeMore}` : null}
    </output>
  );
}

function Nothing({ query, by }: { query: string; by: string }) {
  if (query) {
    return (
      <EmptyState icon={Compass} title="Nothing found">
        {isShortSearch(query)
          ? `None of the newest projects has “${query}” in its name. ${typeMore}`
          : `No project has “${query}” in its name.`}
      </EmptyState>
    );
  }
  if (by)
    return (
      <EmptyState icon={Compass} title="No projects">
        {by} has no project that you may see. <Link to="/designer/browse">Browse all projects</Link>
      </EmptyState>
    );
  return (
    <EmptyState icon={Compass} title="Nothing to browse yet">
      Projects that other people make appear here.
    </EmptyState>
  );
}

function Loading({ columns }: { columns: number }) {
  return (
    <div className="grid gap-4" style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
      <Spinner label="Loading projects" className="sr-only" />
      {Array.from({ length: columns * 3 }, (_, index) => (
        <Skeleton key={index} className="h-44" />
      ))}
    </div>
  );
}

function useColumns(): number {
  const some = useMedia("(min-width: 40rem)");
  const all = useMedia("(min-width: 60rem)");
  return all ? preview.browseColumns : some ? 2 : 1;
}

/** Keeps the search text in the address, so that going back restores it. */
function useAddressedSearch() {
  const [parameters, setParameters] = useSearchParams();
  const addressed = parameters.get("query") ?? "";
  const search = useDebouncedText(debounce.default, addressed);
  const { committed } = search;
  useEffect(() => {
    if (committed === addressed) return;
    setParameters(
      (now) => {
        if (committed) now.set("query", committed);
        else now.delete("query");
        return now;
      },
      { replace: true, preventScrollReset: true },
    );
  }, [committed, addressed, setParameters]);
  return search;
}
