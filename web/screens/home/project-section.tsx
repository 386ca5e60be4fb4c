import { type ReactNode, useId } from "react";

import type { Project } from "@miranda/contract/schemas/projects.ts";

import type { ProjectPagesQuery } from "../../api/projects.ts";
import { shownTotal } from "../../format/list-total.ts";
import { Button } from "../../ui/button.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { Skeleton } from "../../ui/layout/skeleton.tsx";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { ShortGrid } from "../../ui/layout/short-grid.tsx";

interface ProjectSectionProps {
  title: string;
  /** The link beside the title. */
  link: ReactNode;
  projects: ProjectPagesQuery;
  columns: number;
  renderCard: (project: Project) => ReactNode;
  /** Shown when there are no cards. */
  empty: ReactNode;
}

/** A list on the home screen. A button loads more, not scrolling, because there is content below. */
export function ProjectSection({ title, link, projects, columns, renderCard, empty }: ProjectSectionProps) {
  const id = useId();
  const { data, error, isPending, isFetching, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = projects;
  return (
    <section aria-labelledby={id} className="min-w-0">
      <div className="mb-4 flex h-9 items-center justify-between gap-4">
        <div className="flex min-w-0 items-baseline gap-2">
          <h2 id={id} className="truncate text-xl font-semibold">
            {title}
          </h2>
          {data?.total !== undefined && data.items.length > 0 ? (
            <span className="text-base text-ink-faint tabular-nums">{shownTotal(data.total)}</span>
          ) : null}
        </div>
        {link}
      </div>
      {isPending ? <CardSkeletons columns={columns} label={`Loading ${title}`} /> : null}
      {!data && error ? (
        <LoadFailure
          title="These projects could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      ) : null}
      {data?.items.length === 0 ? empty : null}
      {data && data.items.length > 0 ? (
        <ShortGrid
          label={title}
          items={data.items}
          itemKey={(project) => project.id}
          renderItem={renderCard}
          columns={columns}
          gap={12}
          rowHeight={140}
        />
      ) : null}
      {hasNextPage ? (
        <Button className="mt-4 w-full" busy={isFetchingNextPage} onClick={() => fetchNextPage()}>
          Show more
        </Button>
      ) : null}
    </section>
  );
}

function CardSkeletons({ columns, label }: { columns: number; label: string }) {
  return (
    <div className="grid gap-3" style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
      <Spinner label={label} className="sr-only" />
      {Array.from({ length: columns * 2 }, (_, index) => (
        <Skeleton key={index} className="h-32" />
      ))}
    </div>
  );
}
