import { useEffect, useState } from "react";

import type { RunDetails } from "@miranda/contract/schemas/runs.ts";

import { readRunLog } from "../../../api/runs/runs.ts";
import { createLineStore, type LineStore } from "../../../panels/logs/lines/line-store.ts";
import { isLive } from "../../../panels/runs/run-words.ts";

const followEvery = 2_000;

interface RunLog {
  store: LineStore;
  isLoading: boolean;
  error: Error | null;
  retry: () => void;
}

/** The lines of a run, or of one of its nodes. Follows while the run is alive. Mount it anew for another node. */
export function useRunLog(run: RunDetails, node?: number): RunLog {
  const [store] = useState(() => createLineStore());
  const [isLoading, setLoading] = useState(true);
  const [error, setError] = useState<Error | null>(null);
  const [tries, setTries] = useState(0);
  const follows = isLive(run);
  const { id } = run;
  useEffect(() => {
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    async function read(): Promise<void> {
      const known = store.size() > 0 ? { after: store.lastId() } : {};
      try {
        store.append(await readRunLog(id, { ...(node !== undefined && { node }), ...known }, ended.signal));
        setError(null);
      } catch (cause) {
        if (ended.signal.aborted) return;
        setError(cause instanceof Error ? cause : new Error(String(cause)));
      }
      setLoading(false);
      if (follows) timer = setTimeout(() => void read(), followEvery);
    }
    void read();
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
    // A run that has ended is read once more, for its last lines.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- `tries` reads once more
  }, [store, id, node, follows, tries]);
  return { store, isLoading, error, retry: () => setTries((count) => count + 1) };
}
