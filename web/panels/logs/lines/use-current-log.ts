import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";

import { refresh } from "../../../limits.ts";

import { readProcessorLogs } from "../../../api/jobs/processors.ts";
import { useProcessor, useProcessorState } from "../../../providers/processor/processor-provider.tsx";
import { useConnected, useRealtime } from "../../../providers/realtime-provider.tsx";
import { earlierLines } from "./earlier-lines.ts";
import { createLineStore } from "./line-store.ts";
import { createLogFollower, listenToLog } from "./log-follower.ts";

/** The log of the open graph's processor: polled, and updated by socket events. */
export function useCurrentLog() {
  const { graphId } = useProcessor();
  const jobId = useProcessorState((state) => state.job?.id);
  const realtime = useRealtime();
  const isConnected = useConnected();
  const { store, follower } = useMemo(() => {
    const store = createLineStore();
    const follower = createLogFollower({
      store,
      readEnd: () => readProcessorLogs(graphId),
      readBetween: (after, before) => readProcessorLogs(graphId, { after, before }),
    });
    return { store, follower };
    // Each session has its own log.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [graphId, jobId]);

  useEffect(() => {
    if (jobId !== undefined) return listenToLog(realtime, jobId, follower);
  }, [realtime, jobId, follower]);
  useEffect(() => follower.start(), [follower]);

  const { isPending, refetch } = useQuery({
    queryKey: ["processor-logs", graphId, jobId ?? null],
    queryFn: async () => {
      follower.receiveEnd(await readProcessorLogs(graphId));
      return store.size();
    },
    enabled: graphId !== "",
    refetchInterval: refresh.processorLogs,
    gcTime: 0,
  });

  // What was printed while the connection was lost.
  useEffect(() => {
    if (isConnected && store.size() > 0) void refetch();
  }, [isConnected, store, refetch]);

  const onEarlier = useMemo(() => (jobId === undefined ? undefined : () => earlierLines(store, jobId)), [store, jobId]);
  return { store, gap: follower.gap, isLoading: isPending, onEarlier };
}
