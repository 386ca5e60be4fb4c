import { ArrowLeft, Maximize2 } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { Link } from "react-router";

import { usePastJob } from "../../api/jobs/jobs.ts";
import { RelativeTime } from "../../shell/relative-time.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { Tooltip } from "../../ui/overlay/tooltip.tsx";
import { earlierLines } from "../logs/lines/earlier-lines.ts";
import { createLineStore } from "../logs/lines/line-store.ts";
import { LogsPanel } from "../logs/logs-panel.tsx";
import { SessionIcon } from "./session-icon.tsx";

/** The log of a past session. */
export function PastSession({ jobId, onBack }: { jobId: string; onBack: () => void }) {
  const { data: job, error, isPending, isFetching, refetch } = usePastJob(jobId);
  const [store] = useState(() => createLineStore());
  const onEarlier = useCallback(() => earlierLines(store, jobId), [store, jobId]);
  useEffect(() => {
    if (job) store.merge(job.logs);
  }, [job, store]);
  return (
    <section aria-label="Past session" className="flex min-h-0 flex-1 flex-col">
      <header className="flex items-center gap-1 border-b border-line px-1 py-1">
        <IconButton icon={ArrowLeft} label="Back" onClick={onBack} />
        {job ? <SessionIcon state={job.workflow_state} className="mx-1" /> : null}
        <h2 className="min-w-0 flex-1 truncate font-semibold">{job?.name ?? "Session"}</h2>
        {job ? (
          <span className="px-1 text-xs whitespace-nowrap text-ink-faint">
            <RelativeTime time={job.time_created} />
          </span>
        ) : null}
        <Tooltip text="Full screen">
          <Link
            to={`/designer/processors/${jobId}`}
            aria-label="Full screen"
            className={buttonClasses({ variant: "ghost", size: "icon" })}
          >
            <Maximize2 className="size-4" aria-hidden="true" />
          </Link>
        </Tooltip>
      </header>
      {error && !job ? (
        <LoadFailure
          title="The session could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      ) : (
        <LogsPanel
          store={store}
          name={job?.name ?? "session"}
          isLoading={isPending}
          onEarlier={onEarlier}
          empty="This session printed nothing."
        />
      )}
    </section>
  );
}
