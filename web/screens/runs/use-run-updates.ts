import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";

import type { Run } from "@miranda/contract/schemas/runs.ts";

import { putRun, refetchRuns } from "../../api/runs/runs.ts";
import { isLive } from "../../panels/runs/run-words.ts";
import { useConnected, useRealtime } from "../../providers/realtime-provider.tsx";

/** The server lets one connection watch twenty workflows. */
const watchedMax = 10;
/** Many runs may begin at once: the list is read again once for all of them. */
const pause = 1_000;

/** Keeps the loaded runs current: changes come as events, and a run that is not listed yet makes the list be read again. */
export function useRunUpdates(runs: readonly Run[], graphId: string): void {
  const realtime = useRealtime();
  const isConnected = useConnected();
  const client = useQueryClient();
  const watched = useMemo(() => {
    const alive = runs.filter(isLive).map(({ graph }) => graph.id);
    const ids = new Set(graphId === "" ? alive : [graphId]);
    return [...ids].toSorted().slice(0, watchedMax).join(" ");
  }, [runs, graphId]);

  const known = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    known.current = new Set(runs.map(({ id }) => id));
  }, [runs]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readAgain = () => {
      timer = undefined;
      refetchRuns(client);
    };
    const stops = [
      realtime.on("update[RUN]", ({ run }) => {
        putRun(client, run);
        if (!known.current.has(run.id)) timer ??= setTimeout(readAgain, pause);
      }),
      realtime.on("delete[RUN]", ({ run_id }) => {
        if (known.current.has(run_id)) timer ??= setTimeout(readAgain, pause);
      }),
      realtime.on("ready", () => refetchRuns(client)),
    ];
    return () => {
      for (const stop of stops) stop();
      clearTimeout(timer);
    };
  }, [realtime, client]);

  const joined = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const wanted = new Set(isConnected && watched !== "" ? watched.split(" ") : []);
    // Only what differs: the server limits how often a connection may ask. It forgets everything when the screen closes.
    if (isConnected) for (const id of joined.current) if (!wanted.has(id)) realtime.send("leave_project", id);
    for (const id of wanted) if (!joined.current.has(id)) realtime.send("watch_project", id);
    joined.current = wanted;
  }, [realtime, isConnected, watched]);
}
