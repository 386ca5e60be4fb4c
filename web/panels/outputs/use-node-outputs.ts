import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";

import type { NodeOutput } from "@miranda/contract/schemas/processors.ts";

import { readOutputsOf } from "../../api/jobs/runs.ts";
import { useProcessor } from "../../providers/processor/processor-provider.tsx";
import { useRealtime } from "../../providers/realtime-provider.tsx";

/** All outputs of a node in its last run with outputs: loaded once, then updated by events. */
export function useNodeOutputs(node: number, isWanted = true) {
  const { runs } = useProcessor();
  const realtime = useRealtime();
  const last = useSyncExternalStore(runs.watch, () => runs.outputOf(node));
  const isOld = useSyncExternalStore(runs.watch, () => runs.isOldOutput(node));
  const [received, setReceived] = useState<readonly NodeOutput[]>([]);
  const { job_id: jobId, run } = last ?? {};
  const query = useQuery({
    queryKey: ["outputs", jobId, node, run],
    queryFn: () => readOutputsOf(jobId ?? "", node),
    enabled: isWanted && jobId !== undefined,
    staleTime: 0,
    gcTime: 60_000,
    refetchInterval: false,
  });
  const { refetch } = query;
  useEffect(() => {
    if (!isWanted) return;
    const readAgain = (): void => {
      setReceived([]);
      void refetch();
    };
    const stops = [
      realtime.on("output", (output) => {
        if (output.wob_key === node) setReceived((before) => withOutput(before, output));
      }),
      // After a reconnect, events may have been missed.
      realtime.on("project_members", readAgain),
      realtime.on("outputs_left_out", readAgain),
    ];
    return () => {
      for (const stop of stops) stop();
      setReceived([]);
    };
  }, [realtime, node, isWanted, refetch]);

  const outputs = useMemo(() => {
    const known = new Map((query.data ?? []).map((output) => [output.number, output]));
    for (const output of received) if (output.job_id === jobId && output.run === run) known.set(output.number, output);
    return [...known.values()].filter((one) => one.run === run).toSorted((one, other) => one.number - other.number);
  }, [query.data, received, jobId, run]);
  return { outputs, last, isOld, error: query.error, isFetching: query.isFetching, refetch };
}

function withOutput(before: readonly NodeOutput[], output: NodeOutput): NodeOutput[] {
  const kept = before.filter((one) => one.run === output.run && one.number !== output.number);
  return [...kept, output];
}
