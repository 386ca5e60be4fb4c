import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";

import type { Run } from "@miranda/contract/schemas/runs.ts";

import { loadMore } from "../../../api/pages.ts";
import { runAddress, runsQuery } from "../../../api/runs/runs.ts";
import { debounce } from "../../../limits.ts";
import { runLooks } from "../../../panels/runs/run-looks.ts";
import { LookIcon } from "../../../panels/runs/run-mark.tsx";
import { durationWords, modeWords, personName, versionWords } from "../../../panels/runs/run-words.ts";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { useDebouncedText } from "../../../ui/form/use-debounced-text.ts";
import { SearchList } from "../../../ui/layout/search-list.tsx";
import { Dialog } from "../../../ui/overlay/dialog.tsx";

/** Chooses another run of the workflow. */
export function ChooseRunDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const navigate = useNavigate();
  const search = useDebouncedText(debounce.filter);
  const query = search.committed.trim();
  const list = useInfiniteQuery(runsQuery({ graph_id: run.graph.id, ...(query !== "" && { query }) }));
  const [opened] = useState(Date.now);
  const found = list.data?.pages.flatMap(({ runs }) => runs).filter(({ id }) => id !== run.id) ?? [];
  const busy = search.isWaiting || (list.isFetching && !list.isFetchingNextPage);
  return (
    <Dialog open onOpenChange={onClose} title="Compare with…" description="Another run of this workflow." wide>
      <SearchList
        label="Search by person or session"
        listLabel="Runs"
        text={search.text}
        onText={search.setText}
        onCommit={search.commit}
        items={found}
        itemKey={({ id }) => id}
        chosen={undefined}
        onChoose={({ id }) => {
          onClose();
          void navigate(runAddress(run.id, `compare/${id}`));
        }}
        renderItem={(other) => (
          <span className="flex min-w-0 items-center gap-3">
            <LookIcon look={runLooks[other.state]} withWord />
            <span className="min-w-0 flex-1">
              <span dir="auto" className="block truncate">
                {modeWords(other)}, {versionWords(other.version, other.graph_revision)}
              </span>
              <span dir="auto" className="block truncate text-xs text-ink-muted">
                {personName(other.by)}, <RelativeTime time={other.time_began} />
              </span>
            </span>
            <span className="shrink-0 text-sm text-ink-muted tabular-nums">{durationWords(other, opened)}</span>
          </span>
        )}
        busy={busy}
        status={
          list.error && !busy ? (
            <p role="alert" className="px-2.5 py-3 text-danger-text">
              {list.error.message}
            </p>
          ) : found.length === 0 ? (
            <p className="px-2.5 py-3 text-ink-muted">{busy ? "Searching…" : "This workflow has no other runs."}</p>
          ) : null
        }
        focusOnOpen
        onEndNear={() => loadMore(list)}
      />
    </Dialog>
  );
}
