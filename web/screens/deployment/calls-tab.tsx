import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { PhoneIncoming, SearchX } from "lucide-react";
import { useMemo } from "react";
import { useSearchParams } from "react-router";

import type { CallVia } from "@miranda/contract/schemas/deployments/calls.ts";
import type { Deployment } from "@miranda/contract/schemas/deployments/deployments.ts";

import { callsQuery } from "../../api/deployments/calls.ts";
import { loadMore } from "../../api/pages.ts";
import { Button } from "../../ui/button.tsx";
import { PlainSelect } from "../../ui/form/plain-select.tsx";
import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { LoadingArea, Spinner } from "../../ui/layout/spinner.tsx";
import { VirtualList } from "../../ui/layout/virtual-list.tsx";
import { CallRow } from "./call-row.tsx";
import { callLooks, viaWords } from "./call-words.ts";

const states = [
  ["alive", "Waiting or running"],
  ["bad", "Ended badly"],
  ["queued", callLooks.queued.word],
  ["running", callLooks.running.word],
  ["done", callLooks.done.word],
  ["failed", callLooks.failed.word],
  ["stopped", callLooks.stopped.word],
] as const;

interface CallsTabProps {
  projectId: string;
  deployment: Deployment;
}

/** All calls, newest first, and live. What they are limited to is part of the address. */
export function CallsTab({ projectId, deployment }: CallsTabProps) {
  const [params, setParams] = useSearchParams();
  const filter = useMemo(() => {
    const kept = ["state", "via", "schedule_id"].flatMap((name) => {
      const value = params.get(name) ?? "";
      return value === "" ? [] : [[name, value] as const];
    });
    return Object.fromEntries(kept);
  }, [params]);
  const query = useInfiniteQuery({
    ...callsQuery(deployment.graph.id, filter),
    placeholderData: keepPreviousData,
  });
  const calls = useMemo(() => query.data?.pages.flatMap((page) => page.calls) ?? [], [query.data]);
  const change = (name: string, value: string) =>
    setParams({ tab: "calls", ...filter, ...{ [name]: value } }, { replace: true });
  const isFiltered = Object.keys(filter).length > 0;

  return (
    <div className="mx-auto flex min-h-0 w-full max-w-6xl flex-1 flex-col gap-3 px-4 py-4 sm:px-6">
      <search aria-label="Calls" className="flex flex-wrap items-center gap-2">
        <PlainSelect label="State" value={filter["state"] ?? ""} onChange={(value) => change("state", value)}>
          <option value="">Any state</option>
          {states.map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </PlainSelect>
        <PlainSelect label="How it was called" value={filter["via"] ?? ""} onChange={(value) => change("via", value)}>
          <option value="">Called from anywhere</option>
          {Object.entries(viaWords).map(([value, word]) => (
            <option key={value} value={value satisfies string as CallVia}>
              {word}
            </option>
          ))}
        </PlainSelect>
        {isFiltered ? (
          <Button variant="ghost" onClick={() => setParams({ tab: "calls" }, { replace: true })}>
            Clear
          </Button>
        ) : null}
      </search>
      {query.isPending ? <LoadingArea label="Loading calls" /> : null}
      {query.isError && calls.length === 0 ? (
        <LoadFailure
          title="Calls could not be loaded"
          message={query.error.message}
          busy={query.isFetching}
          onRetry={() => void query.refetch()}
        />
      ) : null}
      {query.data && calls.length === 0 ? (
        isFiltered ? (
          <EmptyState icon={SearchX} title="No calls match" />
        ) : (
          <EmptyState icon={PhoneIncoming} title="No calls yet">
            Calls from the Explorer, the API, webhooks and schedules appear here.
          </EmptyState>
        )
      ) : null}
      {calls.length > 0 ? (
        <section
          aria-label="Calls"
          aria-busy={query.isPlaceholderData}
          className="flex min-h-0 flex-1 flex-col overflow-hidden rounded-lg border border-line bg-surface shadow-low"
        >
          <VirtualList
            label="Calls"
            className="min-h-0 flex-1 overflow-y-auto"
            rowHeight={61}
            items={calls}
            itemKey={({ id }) => id}
            search={JSON.stringify(filter)}
            onEndNear={() => loadMore(query)}
            renderItem={(call) => (
              <CallRow
                call={call}
                projectId={projectId}
                graphId={deployment.graph.id}
                mayFix={deployment.right !== "read"}
              />
            )}
            footer={
              query.isFetchingNextPage ? (
                <Spinner label="Loading older calls" showLabel className="px-4 py-3" />
              ) : undefined
            }
          />
        </section>
      ) : null}
    </div>
  );
}
