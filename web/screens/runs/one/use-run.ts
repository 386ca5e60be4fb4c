import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import { HttpError } from "../../../api/http.ts";
import { putRun, refetchRun, runQuery } from "../../../api/runs/runs.ts";
import { useConnected, useRealtime } from "../../../providers/realtime-provider.tsx";

/** A run of thousands of nodes is a megabyte, so it is read again with pauses that grow with what reading takes. */
const pause = { least: 1_000, factor: 4 } as const;

/** A run with its nodes, live while it runs. */
export function useRun(runId: string) {
  const query = useQuery(runQuery(runId));
  const { data: run, error } = query;
  const realtime = useRealtime();
  const isConnected = useConnected();
  const client = useQueryClient();
  const graphId = run?.graph.id;
  const jobId = run?.session.id;

  useEffect(() => {
    if (jobId === undefined) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let wait: number = pause.least;
    let isReading = false;
    let isWanted = false;
    async function read(): Promise<void> {
      isReading = true;
      isWanted = false;
      const began = performance.now();
      await refetchRun(client, runId).catch(() => undefined);
      wait = Math.max(pause.least, (performance.now() - began) * pause.factor);
      isReading = false;
      if (isWanted) later();
    }
    function later(): void {
      isWanted = true;
      if (isReading) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        void read();
      }, wait);
    }
    const stops = [
      realtime.on("update[RUN]", (event) => {
        if (event.run.id !== runId) return;
        putRun(client, event.run);
        later();
      }),
      realtime.on("node_runs", (event) => {
        if (event.job_id === jobId) later();
      }),
      realtime.on("delete[RUN]", (event) => {
        if (event.run_id === runId) later();
      }),
      // Events may have been missed.
      realtime.on("ready", later),
    ];
    return () => {
      for (const stop of stops) stop();
      clearTimeout(timer);
    };
  }, [realtime, client, runId, jobId]);

  useEffect(() => {
    if (!isConnected || graphId === undefined) return;
    realtime.send("watch_project", graphId);
    return () => realtime.send("leave_project", graphId);
  }, [realtime, isConnected, graphId]);

  const isMissing = error instanceof HttpError && (error.status === 404 || error.status === 400);
  return { ...query, isMissing, isGone: isMissing && run !== undefined };
}
