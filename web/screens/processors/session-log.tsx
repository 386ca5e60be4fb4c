import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { Link } from "react-router";

import { messages } from "@miranda/contract/words/messages.ts";
import { stateIcons } from "@miranda/contract/processor.ts";

import { useMoneyShown } from "../../api/billing/money-shown.ts";
import { putJob, usePolledJob } from "../../api/jobs/jobs.ts";
import { useMoney } from "../../api/settings.ts";
import { earlierLines } from "../../panels/logs/lines/earlier-lines.ts";
import { LogsPanel } from "../../panels/logs/logs-panel.tsx";
import { IdleNotice } from "../../panels/processor/idle-notice.tsx";
import { SessionIcon } from "../../panels/processor/session-icon.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import type { Stopping } from "./use-force-stop.ts";
import { useSessionLog } from "../../panels/logs/lines/use-session-log.ts";

/** One session with its log, polled while it is open. */
export function SessionLog({ id, stopping }: { id: string; stopping: Stopping }) {
  const { data: job, error, isPending, isFetching, refetch } = usePolledJob(id);
  const money = useMoney();
  const isMoneyShown = useMoneyShown();
  const client = useQueryClient();
  const { store, gap } = useSessionLog(id, job);
  const onEarlier = useCallback(() => earlierLines(store, id), [store, id]);

  const graph = job?.graph;
  const [projectId, graphId] = [graph?.project_id, graph?.graph_id];
  const jump = useMemo(
    () => ({
      codePath: (node: number) => `/designer/projects/${projectId}/graphs/${graphId}/code/${node}`,
      nameOf: () => undefined,
      reveal: undefined,
    }),
    [projectId, graphId],
  );

  if (error && !job) {
    return (
      <div className="p-6">
        <LoadFailure
          title="The session could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      </div>
    );
  }
  const state = job && stopping.stateOf(job);
  return (
    <>
      <header className="flex min-h-13 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface px-4 py-2">
        {job && state ? (
          <>
            <span className="flex max-w-full min-w-0 items-center gap-2">
              <SessionIcon state={state} />
              <h2 className="truncate font-semibold" title={job.name}>
                {job.name}
              </h2>
            </span>
            <span className="text-sm text-ink-muted">{stateIcons[state].text}</span>
            <span className="text-sm text-ink-muted max-lg:hidden">
              {!isMoneyShown
                ? null
                : job.total_cost === null
                  ? messages.noCost
                  : messages.sessionCost(money(job.total_cost))}
            </span>
            <span className="ml-auto flex gap-2">
              {graph ? (
                <Link
                  to={`/designer/projects/${graph.project_id}/graphs/${graph.graph_id}`}
                  className={buttonClasses({ size: "sm" })}
                >
                  Open workflow
                </Link>
              ) : null}
            </span>
          </>
        ) : null}
      </header>
      {job ? (
        // On wide screens its entry in the list shows it.
        <IdleNotice job={job} mayKeep onKept={(kept) => putJob(client, kept)} className="m-2 md:hidden" />
      ) : null}
      <LogsPanel
        store={store}
        gap={gap}
        name={job?.name ?? "session"}
        isLoading={isPending}
        jump={graph ? jump : undefined}
        onEarlier={onEarlier}
        empty="This session has printed nothing so far."
      />
    </>
  );
}
