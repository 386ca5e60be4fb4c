import { useEffect, useState } from "react";

import type { Job } from "@miranda/contract/schemas/processors.ts";

import { readLogBetween } from "../../../api/jobs/jobs.ts";
import { useConnected, useRealtime } from "../../../providers/realtime-provider.tsx";
import { createLineStore } from "./line-store.ts";
import { createLogFollower, listenToLog } from "./log-follower.ts";

/**
 * The lines of a session: from socket events while connected, and polled. `isWatched`: the screen receives the events of
 * its room already.
 */
export function useSessionLog(id: string, job: Job | undefined, isWatched = false) {
  const realtime = useRealtime();
  const isConnected = useConnected();
  const [{ store, follower }] = useState(() => {
    const store = createLineStore();
    const follower = createLogFollower({
      store,
      readEnd: () => readLogBetween(id),
      readBetween: (after, before) => readLogBetween(id, { after, before }),
    });
    return { store, follower };
  });
  const logs = job?.logs;
  useEffect(() => {
    if (logs) follower.receiveEnd(logs);
  }, [logs, follower]);
  useEffect(() => follower.start(), [follower]);

  const room = job?.deployment_id ?? job?.graph?.graph_id;
  useEffect(() => {
    if (!isConnected || room === undefined) return;
    const stop = listenToLog(realtime, id, follower);
    if (isWatched) return stop;
    realtime.send("watch_project", room);
    return () => {
      stop();
      realtime.send("leave_project", room);
    };
  }, [realtime, isConnected, room, id, follower, isWatched]);
  return { store, gap: follower.gap };
}
