import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";

import { stateWhileStopping, type WorkflowState } from "@miranda/contract/processor.ts";
import type { JobsResponse, JobSummary } from "@miranda/contract/schemas/processors.ts";

import { cancelJob, refetchJobs } from "../../api/jobs/jobs.ts";
import { messageOf } from "../../message-of.ts";
import { readOnlyActions } from "../../providers/processor/read-only-actions.ts";
import { toast } from "../../ui/overlay/toast.ts";

export type Stopping = ReturnType<typeof useForceStop>;

/** Shows a stopping session as stopping until it has ended, whatever state a list fetched meanwhile has. */
export function useForceStop(jobs: JobsResponse | undefined) {
  const client = useQueryClient();
  const [stopping, setStopping] = useState<ReadonlySet<string>>(new Set());
  const hasEnded = (id: string) => [jobs?.exited, jobs?.errored].some((group) => group?.some((job) => job.id === id));

  const stop = useCallback(
    async (id: string): Promise<void> => {
      setStopping((known) => new Set([...known, id]));
      try {
        await readOnlyActions(() => cancelJob(id)).cancel();
        refetchJobs(client);
      } catch (cause) {
        setStopping((known) => new Set([...known].filter((one) => one !== id)));
        toast.error(messageOf(cause));
      }
    },
    [client],
  );

  return {
    stateOf({ id, workflow_state }: Pick<JobSummary, "id" | "workflow_state">): WorkflowState {
      return stopping.has(id) && !hasEnded(id) ? stateWhileStopping(workflow_state) : workflow_state;
    },
    stop,
  };
}
