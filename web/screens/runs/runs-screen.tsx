import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { History, SearchX } from "lucide-react";
import { useMemo } from "react";
import { useParams, useSearchParams } from "react-router";

import { graphAddress, workflowQuery } from "../../api/graphs.ts";
import { loadMore } from "../../api/pages.ts";
import { useProject } from "../../api/projects.ts";
import { runsQuery } from "../../api/runs/runs.ts";
import { RealtimeProvider } from "../../providers/realtime-provider.tsx";
import { useTopBar } from "../../shell/top-bar-context.tsx";
import { Button } from "../../ui/button.tsx";
import { HandbookLink } from "../../shell/handbook-link.tsx";
import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { LoadingArea, Spinner } from "../../ui/layout/spinner.tsx";
import { VirtualList } from "../../ui/layout/virtual-list.tsx";
import { callFilter, filterOf, isFiltered, type ListFilter, paramsOf } from "./list-filter.ts";
import { RunFilters } from "./run-filters.tsx";
import { RunColumns, RunRow } from "./run-row.tsx";
import { useRunUpdates } from "./use-run-updates.ts";

/** Runs of everything, of a project, or of a workflow: newest first, and live. */
export function RunsScreen() {
  return (
    <RealtimeProvider>
      <Runs />
    </RealtimeProvider>
  );
}

function Runs() {
  const { projectId } = useParams();
  const [params, setParams] = useSearchParams();
  const filter = useMemo(() => filterOf(params), [params]);
  const { data: project } = useProject(projectId ?? "");
  const { data: workflow } = useQuery({ ...workflowQuery(filter.graph), enabled: filter.graph !== "" });
  const ofGraph = filter.graph === "" ? undefined : workflow;
  const back = ofGraph
    ? graphAddress(ofGraph.parent.id, ofGraph.id)
    : projectId === undefined
      ? undefined
      : `/designer/projects/${projectId}`;
  useTopBar({ back, project: ofGraph?.parent.name, graph: ofGraph?.name });

  const called = useMemo(() => callFilter(filter, projectId), [filter, projectId]);
  const query = useInfiniteQuery({ ...runsQuery(called), placeholderData: keepPreviousData });
  const runs = useMemo(() => query.data?.pages.flatMap((page) => page.runs) ?? [], [query.data]);
  useRunUpdates(runs, filter.graph);
  const change = (changes: Partial<ListFilter>) => setParams(paramsOf({ ...filter, ...changes }), { replace: true });

  const ofWorkflow = filter.graph !== "";
  return (
    <div className="mx-auto flex h-(--below-bar) w-full max-w-[110rem] flex-col gap-4 px-4 pt-6 pb-4 sm:px-6 sm:pt-8">
      <header className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h1 className="text-2xl font-semibold">Runs</h1>
        <p dir="auto" className="min-w-0 truncate text-ink-muted">
          {ofGraph
            ? ofGraph.name
            : projectId === undefined
              ? "Yours, and those of your projects"
              : project?.project.name}
        </p>
      </header>
      <RunFilters
        filter={filter}
        projectId={projectId}
        runs={runs}
        isSearching={query.isPlaceholderData}
        onChange={change}
      />
      {query.isPending ? <LoadingArea label="Loading runs" /> : null}
      {query.isError && runs.length === 0 ? (
        <LoadFailure
          title="Runs could not be loaded"
          message={query.error.message}
          busy={query.isFetching}
          onRetry={() => void query.refetch()}
        />
      ) : null}
      {query.data && runs.length === 0 ? (
        isFiltered(filter) ? (
          <EmptyState
            icon={SearchX}
            title="No runs match"
            action={
              <Button onClick={() => setParams(ofWorkflow ? { graph: filter.graph } : {}, { replace: true })}>
                Remove the filters
              </Button>
            }
          >
            Runs are kept for a limited time.
          </EmptyState>
        ) : (
          <EmptyState
            icon={History}
            title="No runs yet"
            action={<HandbookLink page="runs">What runs keep</HandbookLink>}
          >
            Press Run in a workflow, and it appears here.
          </EmptyState>
        )
      ) : null}
      {runs.length > 0 ? (
        <section
          aria-label="Runs"
          aria-busy={query.isPlaceholderData}
          className="flex min-h-0 flex-1 flex-col overflow-hidden rounded-lg border border-line bg-surface shadow-low"
        >
          <RunColumns ofWorkflow={ofWorkflow} />
          <VirtualList
            label="Runs"
            className="min-h-0 flex-1 overflow-y-auto"
            rowHeight={61}
            items={runs}
            itemKey={({ id }) => id}
            search={JSON.stringify(called)}
            onEndNear={() => loadMore(query)}
            renderItem={(run) => <RunRow run={run} ofWorkflow={ofWorkflow} />}
            footer={<Footer query={query} />}
          />
        </section>
      ) : null}
    </div>
  );
}

interface FooterProps {
  query: {
    isFetchingNextPage: boolean;
    isFetchNextPageError: boolean;
    error: Error | null;
    fetchNextPage: () => Promise<unknown>;
  };
}

function Footer({ query }: FooterProps) {
  if (query.isFetchingNextPage) return <Spinner label="Loading older runs" showLabel className="px-4 py-3" />;
  if (!query.isFetchNextPageError) return null;
  return (
    <div className="p-3">
      <LoadFailure
        title="Older runs could not be loaded"
        message={query.error?.message ?? ""}
        onRetry={() => void query.fetchNextPage()}
      />
    </div>
  );
}
