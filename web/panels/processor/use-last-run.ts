import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import type { Run } from "@miranda/contract/schemas/runs.ts";

import { lastRunQuery, putLastRun } from "../../api/runs/runs.ts";
import { useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { useRealtime } from "../../providers/realtime-provider.tsx";

/** The last run of the open session, as the server has it. */
export function useLastRun(): Run | undefined {
  const realtime = useRealtime();
  const client = useQueryClient();
  const jobId = useProcessorState((state) => state.job?.id);
  const hasRun = useProcessorState((state) => Boolean(state.job?.last_run));
  useEffect(
    () =>
      realtime.on("update[RUN]", ({ run }) => {
        if (run.session.id === jobId) putLastRun(client, run);
      }),
    [realtime, client, jobId],
  );
  const { data } = useQuery({ ...lastRunQuery(jobId ?? ""), enabled: jobId !== undefined && hasRun });
  return data ?? undefined;
}
