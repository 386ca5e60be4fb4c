import { useInfiniteQuery } from "@tanstack/react-query";
import { Tag } from "lucide-react";

import type { AliasMove } from "@miranda/contract/schemas/models/versions.ts";

import { modelAliasesQuery } from "../../../api/models/model.ts";
import { personName } from "../../../panels/runs/run-words.ts";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { EmptyState } from "../../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { LongText } from "../../../ui/text/long-text.tsx";
import { useOpenModel } from "../open-model.tsx";

/** Who moved which alias, when and why. */
export function HistoryView() {
  const { model, mayWrite } = useOpenModel();
  const query = useInfiniteQuery(modelAliasesQuery(model.id));
  if (query.isPending) return <LoadingArea label="Loading the history" />;
  if (!query.data)
    return (
      <div className="p-4 sm:p-6">
        <LoadFailure
          title="The history could not be loaded"
          message={query.error.message}
          busy={query.isFetching}
          onRetry={() => void query.refetch()}
        />
      </div>
    );
  return (
    <section aria-label="History" className="mx-auto flex w-full max-w-4xl flex-col gap-4 px-4 py-6 sm:px-6">
      {query.data.length === 0 ? (
        <EmptyState icon={Tag} title="No alias yet">
          An alias such as “champion” is a name for a version that code and deployments can follow.{" "}
          {mayWrite ? "Set one in the menu of a version." : ""}
        </EmptyState>
      ) : (
        <ol className="divide-y divide-line rounded-lg border border-line bg-surface shadow-low">
          {query.data.map((move) => (
            <Move key={move.id} move={move} />
          ))}
        </ol>
      )}
      {query.hasNextPage ? (
        <Button className="self-center" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Earlier moves
        </Button>
      ) : null}
    </section>
  );
}

function Move({ move }: { move: AliasMove }) {
  const { alias, from, to, by, author, reason, time } = move;
  return (
    <li data-testid="alias-move" className="flex flex-col gap-1 px-4 py-3">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone="accent">{alias}</Badge>
        <span>
          {from === null ? "set to" : to === null ? "removed from" : "moved from"}{" "}
          {from === null ? null : <b className="font-semibold">version {from}</b>}
          {from !== null && to !== null ? " to " : null}
          {to === null ? null : <b className="font-semibold">version {to}</b>}
        </span>
        <span className="text-sm text-ink-muted sm:ml-auto">
          {oneLine(by ? personName(by) : author || "Unknown")}, <RelativeTime time={time} />
        </span>
      </p>
      {reason === "" ? null : (
        <p dir="auto" className="wrap-anywhere whitespace-pre-wrap text-ink-muted">
          <LongText text={reason} />
        </p>
      )}
    </li>
  );
}
