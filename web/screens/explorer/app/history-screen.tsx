import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { History, SearchX } from "lucide-react";
import { useMemo } from "react";
import { Link, useSearchParams } from "react-router";

import { type CallListFilter, myCallsQuery } from "../../../api/apps/calls.ts";
import { loadMore } from "../../../api/pages.ts";
import { Button, buttonClasses } from "../../../ui/button.tsx";
import { PlainSelect } from "../../../ui/form/plain-select.tsx";
import { Card } from "../../../ui/layout/card.tsx";
import { EmptyState } from "../../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea, Spinner } from "../../../ui/layout/spinner.tsx";
import { VirtualGrid } from "../../../ui/layout/virtual-grid.tsx";
import { CallRow } from "../call/call-row.tsx";
import { useAppPage } from "./app-page.ts";

const filters: readonly { value: CallListFilter; label: string }[] = [
  { value: "", label: "All runs" },
  { value: "alive", label: "Running now" },
  { value: "done", label: "Done" },
  { value: "bad", label: "Did not work" },
];

/** All calls that the person made with this app. */
export function HistoryScreen() {
  const page = useAppPage();
  const [parameters, setParameters] = useSearchParams();
  const state = filters.find(({ value }) => value === parameters.get("state"))?.value ?? "";
  const { data, error, isPending, isFetching, refetch, ...more } = useInfiniteQuery({
    ...myCallsQuery(page.door, state),
    placeholderData: keepPreviousData,
  });
  const calls = useMemo(() => data?.pages.flatMap((one) => one.calls) ?? [], [data]);

  function choose(value: string) {
    const next = new URLSearchParams(parameters);
    if (value === "") next.delete("state");
    else next.set("state", value);
    setParameters(next, { replace: true });
  }

  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="flex items-center justify-between gap-3">
        <h2 className="text-lg font-semibold">Your runs</h2>
        <PlainSelect label="Which runs" value={state} onChange={choose}>
          {filters.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </PlainSelect>
      </div>
      {isPending ? <LoadingArea label="Loading your runs" /> : null}
      {!data && error ? (
        <LoadFailure
          title="Your runs could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      ) : null}
      {data && calls.length === 0 ? (
        state === "" ? (
          <EmptyState
            icon={History}
            title="No runs yet"
            action={
              <Link to={page.addressOf("")} className={buttonClasses({ variant: "primary" })}>
                Run the app
              </Link>
            }
          >
            All your runs of this app are kept here, with what you entered.
          </EmptyState>
        ) : (
          <EmptyState
            icon={SearchX}
            title="Nothing found"
            action={<Button onClick={() => choose("")}>All runs</Button>}
          />
        )
      ) : null}
      {calls.length > 0 ? (
        <Card className="p-1">
          <VirtualGrid
            label="Your runs"
            items={calls}
            itemKey={({ id }) => id}
            renderItem={(call) => <CallRow call={call} page={page} />}
            columns={1}
            gap={0}
            rowHeight={64}
            onEndNear={() => loadMore(more)}
          />
        </Card>
      ) : null}
      {more.isFetchingNextPage ? <Spinner label="Loading more runs" showLabel className="self-center" /> : null}
    </div>
  );
}
