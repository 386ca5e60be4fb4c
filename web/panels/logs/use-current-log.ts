import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";

import { logsEvent } from "@miranda/contract/events.ts";
import { refresh } from "../../limits.ts";

import { readProcessorLogs } from "../../api/jobs/processors.ts";
import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { useConnected, useRealtime } from "../../providers/realtime-provider.tsx";
import { earlierLines } from "./earlier-lines.ts";
import { createLineStore, type LineStore } from "./line-store.ts";

/** The log of the open graph's processor: polled, and updated by socket events. */
export function useCurrentLog() {
  const { graphId } = useProcessor();
  const jobId = useProcessorState((state) => state.job?.id);
  const realtime = useRealtime();
  const isConnected = useConnected();
  // Each session has its own log.
  // oxlint-disable-next-line react/exhaustive-deps
  const store = useMemo(() => createLineStore(), [jobId]);

  useEffect(() => {
    if (jobId !== undefined) return realtime.on(logsEvent(jobId), (entries) => store.append(entries));
  }, [realtime, jobId, store]);

  const { isPending, refetch } = useQuery({
    queryKey: ["processor-logs", graphId, jobId ?? null],
    queryFn: async () => {
      await fetchInto(store, graphId);
      return store.size();
    },
    enabled: graphId !== "",
    refetchInterval: refresh.processorLogs,
    gcTime: 0,
  });

  // Fetch what was printed while the connection was lost.
  useEffect(() => {
    if (isConnected && store.size() > 0) void refetch();
  }, [isConnected, store, refetch]);

  const onEarlier = useMemo(() => (jobId === undefined ? undefined : () => earlierLines(store, jobId)), [store, jobId]);
  return { store, isLoading: isPending, onEarlier };
}

async function fetchInto(store: LineStore, graphId: string): Promise<void> {
  const entries = await readProcessorLogs(graphId);
  const [oldest] = entries;
  const last = store.lastId();
  if (oldest && store.size() > 0 && oldest.id > last + 1) store.append(await readProcessorLogs(graphId, last));
  else store.merge(entries);
}
