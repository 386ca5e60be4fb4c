import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

import type { RunMode } from "@miranda/contract/command-args.ts";
import { breakpointLines } from "@miranda/contract/debugging.ts";
import { canCreate } from "@miranda/contract/processor.ts";
import type { PlanEvent } from "@miranda/contract/schemas/processors.ts";

import { useGraph, useSession } from "../../providers/object-provider.tsx";
import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";

export interface RunChoice {
  mode: RunMode;
  node?: number | undefined;
}

export interface Planned {
  plan: PlanEvent["plan"] | undefined;
  /** Why there is none. */
  words: string | undefined;
}

/** What a run would run, and why; asked of the processor once for each state of the graph. Undefined asks nothing. */
export function usePlan(choice: RunChoice | undefined): Planned {
  const { graphId, runs, actions, debugMode } = useProcessor();
  const { store } = useSession();
  const shown = useProcessorState((state) => state.shown);
  const jobId = useProcessorState((state) => state.job?.id);
  const isViewOnly = useGraph((view) => view.viewOnly);
  const revision = useSyncExternalStore(store.watch, store.revision);
  const lastRun = useSyncExternalStore(runs.watch, runs.lastRun);
  const isDebugging = useSyncExternalStore(debugMode.watch, debugMode.isOn);
  const stops = useProcessorState(({ debugging }) => debugging.breakpoints);
  const breakpoints = isDebugging ? JSON.stringify(breakpointLines(stops)) : "";
  const { data, error } = useQuery({
    queryKey: ["plan", graphId, jobId, revision, lastRun, choice?.mode, choice?.node, breakpoints],
    queryFn: async () =>
      (await actions.plan({ mode: choice?.mode ?? "changed", node: choice?.node }, isDebugging)).plan,
    enabled: choice !== undefined && shown === "READY" && !isViewOnly,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
    gcTime: 60_000,
    // Moving a node makes the plan no other; until that is certain the one before stands.
    placeholderData: (known, query) =>
      query?.queryKey[5] === choice?.mode && query?.queryKey[6] === choice?.node ? known : undefined,
    retry: false,
  });
  if (data) return { plan: data, words: undefined };
  if (canCreate(shown)) return { plan: undefined, words: "A new session starts. Nothing has run in it yet." };
  if (error) return { plan: undefined, words: error.message };
  return { plan: undefined, words: shown === "READY" ? undefined : "The processor is busy." };
}
