import { useQueryClient } from "@tanstack/react-query";
import { MousePointerClick } from "lucide-react";
import { useEffect } from "react";
import { useParams } from "react-router";

import { putJob, refetchJobs, useJobs } from "../../api/jobs/jobs.ts";
import { RealtimeProvider, useRealtime } from "../../providers/realtime-provider.tsx";
import { useTopBar } from "../../shell/top-bar-context.tsx";
import { classes } from "../../ui/classes.ts";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { SessionList } from "./session-list.tsx";
import { SessionLog } from "./session-log.tsx";
import { useForceStop } from "./use-force-stop.ts";

export function ProcessorsScreen() {
  return (
    <RealtimeProvider>
      <Processors />
    </RealtimeProvider>
  );
}

function Processors() {
  const { processorId } = useParams();
  useTopBar({ back: processorId === undefined ? undefined : "/designer/processors" });
  useSessionUpdates();
  const { data: jobs, error, isPending, isFetching, refetch, older } = useJobs();
  const stopping = useForceStop(jobs);
  // A narrow screen shows either the list or the log.
  const hasChosen = processorId !== undefined;
  return (
    <div className="flex h-(--below-bar) min-h-0">
      <aside
        aria-label="Sessions"
        className={classes(
          "flex w-full shrink-0 flex-col border-line bg-canvas md:w-[26rem] md:border-r",
          hasChosen ? "max-md:hidden" : null,
        )}
      >
        <h1 className="border-b border-line px-4 py-3 text-lg font-semibold">Processors</h1>
        {isPending ? <LoadingArea label="Loading sessions" /> : null}
        {error && !jobs ? (
          <div className="p-4">
            <LoadFailure
              title="Sessions could not be loaded"
              message={error.message}
              busy={isFetching}
              onRetry={() => void refetch()}
            />
          </div>
        ) : null}
        {jobs ? <SessionList jobs={jobs} older={older} chosenId={processorId} stopping={stopping} /> : null}
      </aside>
      <div className={classes("flex min-w-0 flex-1 flex-col", hasChosen ? null : "max-md:hidden")}>
        {processorId === undefined ? (
          <div className="grid flex-1 place-items-center dot-grid p-6">
            <p className="flex items-center gap-2 rounded-lg bg-canvas px-4 py-2 text-ink-muted shadow-[0_0_2rem_1rem_var(--canvas)]">
              <MousePointerClick className="size-4" aria-hidden="true" />
              Select a processor to view logs
            </p>
          </div>
        ) : (
          <SessionLog key={processorId} id={processorId} stopping={stopping} />
        )}
      </div>
    </div>
  );
}

/** Puts socket events into the lists at once; polling finds what was missed. */
function useSessionUpdates(): void {
  const realtime = useRealtime();
  const client = useQueryClient();
  useEffect(() => {
    const stops = [
      realtime.on("new[DOCKER_JOB]", (job) => putJob(client, job)),
      realtime.on("update[DOCKER_JOB]", (job) => putJob(client, job)),
      realtime.on("ready", () => refetchJobs(client)),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [realtime, client]);
}
