import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

import { canCreate } from "@miranda/contract/processor.ts";
import type { Continuation } from "@miranda/contract/schemas/runs.ts";

import { readContinuation } from "../../api/jobs/processors.ts";
import { useGraph, useSession } from "../../providers/object-provider.tsx";
import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { type RunChoice, usePlan } from "./use-plan.ts";

export const continuing: RunChoice = { mode: "changed", resume: true };

export interface Offer {
  from: Continuation;
  /** How many nodes are as they were, of how many. */
  kept: number;
  nodes: number;
}

/** What a session that has not run anything, or a new one, could continue from. Undefined when there is nothing. */
export function useContinuation(): Offer | undefined {
  const { graphId, runs } = useProcessor();
  const { store } = useSession();
  const shown = useProcessorState((state) => state.shown);
  const jobId = useProcessorState((state) => state.job?.id);
  const isWaiting = useProcessorState((state) => state.waitingOnTag !== null);
  const isViewOnly = useGraph((view) => view.viewOnly);
  const isLoaded = useGraph((view) => view.loaded);
  const revision = useSyncExternalStore(store.watch, store.revision);
  const lastRun = useSyncExternalStore(runs.watch, runs.lastRun);
  const isNew = canCreate(shown);
  const mayOffer = isLoaded && !isViewOnly && !isWaiting && (isNew || (shown === "READY" && lastRun === 0));
  const { data: from } = useQuery({
    // Also by state: what a session leaves is there when it has ended.
    queryKey: ["continuation", graphId, jobId, isNew, revision],
    queryFn: () => readContinuation(graphId),
    enabled: mayOffer,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
    gcTime: 60_000,
    placeholderData: (known) => known,
    retry: false,
  });
  // A session knows exactly what it can use. Before there is one, the server's comparison of revisions has to do.
  const { plan } = usePlan(mayOffer && from && !isNew ? continuing : undefined);
  if (!mayOffer || !from) return undefined;
  if (isNew) return { from, kept: from.kept, nodes: from.nodes };
  const kept = plan?.filter(({ result }) => result !== null).length ?? 0;
  return kept === 0 || !plan ? undefined : { from, kept, nodes: plan.length };
}
