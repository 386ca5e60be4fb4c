import { useQuery } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";

import { canCreate } from "@miranda/contract/processor.ts";
import type { Continuation } from "@miranda/contract/schemas/runs.ts";

import { readContinuation } from "../../api/jobs/processors.ts";
import { refresh } from "../../limits.ts";
import { useGraph, useSession } from "../../providers/object-provider.tsx";
import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import type { RunChoice } from "./use-plan.ts";

export const continuing: RunChoice = { mode: "changed", resume: true };

export interface Offer {
  from: Continuation;
  /** How many nodes are as they were, of how many. */
  kept: number;
  nodes: number;
}

const asked = { staleTime: Number.POSITIVE_INFINITY, refetchInterval: false, gcTime: 60_000, retry: false } as const;

/** What a new session, or one that has not run anything, could continue from. Undefined when there is nothing. */
export function useContinuation(): Offer | undefined {
  const { graphId, runs, actions } = useProcessor();
  const { store } = useSession();
  const shown = useProcessorState((state) => state.shown);
  const jobId = useProcessorState((state) => state.job?.id);
  const isWaiting = useProcessorState((state) => state.waitingOnTag !== null);
  const mayRun = useGraph((view) => view.loaded && !view.viewOnly);
  const revision = useSettled(useSyncExternalStore(store.watch, store.revision));
  const lastRun = useSyncExternalStore(runs.watch, runs.lastRun);
  const isNew = canCreate(shown);
  const mayOffer = mayRun && !isWaiting && (isNew || (shown === "READY" && lastRun === 0));
  const sameSession = <Known>(known: Known | undefined, query?: { queryKey: readonly unknown[] }) =>
    query?.queryKey[2] === jobId ? known : undefined;
  const { data: from } = useQuery({
    // Also by state: what a session leaves is there when it has ended.
    queryKey: ["continuation", graphId, jobId, isNew, revision],
    queryFn: () => readContinuation(graphId),
    enabled: mayOffer,
    placeholderData: sameSession,
    ...asked,
  });
  // A session knows exactly what it can use. Before there is one, the server's comparison of revisions has to do.
  const { data: plan } = useQuery({
    queryKey: ["continuation-plan", graphId, jobId, revision],
    queryFn: async () => (await actions.plan(continuing, false)).plan,
    enabled: mayOffer && Boolean(from) && !isNew,
    placeholderData: sameSession,
    ...asked,
  });
  if (!mayOffer || !from) return undefined;
  if (isNew) return { from, kept: from.kept, nodes: from.nodes };
  const kept = plan?.filter(({ result }) => result !== null).length ?? 0;
  return kept === 0 || !plan ? undefined : { from, kept, nodes: plan.length };
}

/** The value once it has not changed for a moment: each step of a drag is a revision of its own. */
function useSettled(value: number): number {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), refresh.settledAfter);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
