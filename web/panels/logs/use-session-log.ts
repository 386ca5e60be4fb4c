import { useEffect, useState } from "react";

import { logsEvent } from "@miranda/contract/events.ts";
import type { Job } from "@miranda/contract/schemas/processors.ts";

import { readLaterLog } from "../../api/jobs/jobs.ts";
import { logWarning } from "../../log.ts";
import { createLineStore, type LineStore } from "./line-store.ts";
import { useConnected, useRealtime } from "../../providers/realtime-provider.tsx";

/**
 * The lines of a session: from socket events while connected, and polled, which adds only missing lines. `isWatched`: the
 * screen receives the events of its room already.
 */
export function useSessionLog(id: string, job: Job | undefined, isWatched = false): LineStore {
  const realtime = useRealtime();
  const isConnected = useConnected();
  const [store] = useState(() => createLineStore());
  const logs = job?.logs;
  useEffect(() => {
    if (logs) void take(store, id, logs);
  }, [logs, store, id]);

  const room = job?.deployment_id ?? job?.graph?.graph_id;
  useEffect(() => {
    if (!isConnected || room === undefined) return;
    const stop = realtime.on(logsEvent(id), (entries) => {
      const [first] = entries;
      // Lines must be in order: the next poll closes a gap.
      if (first && store.size() > 0 && first.id <= store.lastId() + 1) store.append(entries);
    });
    if (isWatched) return stop;
    realtime.send("watch_project", room);
    return () => {
      stop();
      realtime.send("leave_project", room);
    };
  }, [realtime, isConnected, room, id, store, isWatched]);
  return store;
}

/** The answer has only the last lines. Fetch those between the known lines and these. */
async function take(store: LineStore, id: string, logs: Job["logs"]): Promise<void> {
  const [oldest] = logs;
  const last = store.lastId();
  if (!oldest || store.size() === 0 || oldest.id <= last + 1) return store.merge(logs);
  try {
    store.merge(await readLaterLog(id, last));
  } catch (cause) {
    logWarning("The lines in between could not be read.", cause);
    store.merge(logs);
  }
}
