import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

import type { RunMode } from "@miranda/contract/command-args.ts";
import { breakpointLines } from "../../providers/debugger/breakpoint-list.ts";
import { canCreate } from "@miranda/contract/processor.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import type { PlanEvent } from "@miranda/contract/schemas/processors.ts";

import { useGraph, useSession } from "../../providers/object-provider.tsx";
import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { useUnsavedCode } from "../../providers/unsaved/use-unsaved-code.ts";
import { usePaced } from "../../ui/use-paced.ts";

/** In milliseconds: how often a plan is asked for while people edit. */
const planPace = 1_000;

export interface RunChoice {
  mode: RunMode;
  node?: number | undefined;
  /** Uses the kept results of earlier sessions. */
  resume?: boolean;
  /** What the run may cost, in credits. */
  budget?: number | undefined;
}

export interface Planned {
  plan: PlanEvent["plan"] | undefined;
  /** Why there is no plan. */
  reason: string | undefined;
}

/** What a run would run, and why. Asks the processor at most once a second. Undefined asks nothing. */
export function usePlan(choice: RunChoice | undefined): Planned {
  const { graphId, runs, actions, debugMode, unsaved } = useProcessor();
  const { store } = useSession();
  const shown = useProcessorState((state) => state.shown);
  const jobId = useProcessorState((state) => state.job?.id);
  const isViewOnly = useGraph((view) => view.viewOnly);
  // Everybody's edits count, and a plan of each would be outdated before it is read.
  const revision = usePaced(useSyncExternalStore(store.watch, store.revision), planPace);
  const lastRun = useSyncExternalStore(runs.watch, runs.lastRun);
  const isDebugging = useSyncExternalStore(debugMode.watch, debugMode.isOn);
  const stops = useProcessorState(({ debugging }) => debugging.breakpoints);
  const breakpoints = isDebugging ? JSON.stringify(breakpointLines(stops)) : "";
  const drafts = useUnsavedCode();
  const included = useSyncExternalStore(unsaved.watch, unsaved.included);
  const code = JSON.stringify([drafts.map(({ metadata_id, authors }) => [metadata_id, authors]), [...included]]);
  const isNew = canCreate(shown);
  const codeNodes = useGraph((view) => countRunning(view.resolved.nodes));
  // Keystrokes publish no event, so a plan is soon outdated while code is unsaved.
  const staleTime = drafts.length > 0 ? 1_000 : Number.POSITIVE_INFINITY;
  const check = useQuery({
    queryKey: ["run-check", graphId, revision, choice?.mode, choice?.node, code],
    queryFn: async () => {
      await actions.checkRun({ mode: choice?.mode ?? "changed", node: choice?.node });
      return true;
    },
    enabled: choice !== undefined && isNew && !isViewOnly,
    staleTime,
    refetchInterval: false,
    gcTime: 60_000,
    retry: false,
  });
  const { data, error } = useQuery({
    queryKey: [
      "plan",
      graphId,
      jobId,
      revision,
      lastRun,
      choice?.mode,
      choice?.node,
      choice?.resume,
      breakpoints,
      code,
    ],
    queryFn: async () => {
      const { mode = "changed", node, resume } = choice ?? {};
      return (await actions.plan({ mode, node, resume }, isDebugging)).plan;
    },
    enabled: choice !== undefined && shown === "READY" && !isViewOnly,
    staleTime,
    refetchInterval: false,
    gcTime: 60_000,
    // Moving a node does not change the plan: keep the previous one until the new one is here.
    placeholderData: (known, query) =>
      [choice?.mode, choice?.node, choice?.resume].every((part, at) => query?.queryKey[5 + at] === part)
        ? known
        : undefined,
    retry: false,
  });
  if (isNew) return { plan: undefined, reason: check.error?.message ?? newSessionText(choice, codeNodes) };
  if (error) return { plan: undefined, reason: error.message };
  if (data) return { plan: data, reason: undefined };
  return { plan: undefined, reason: shown === "READY" ? undefined : "The processor is busy." };
}

function countRunning(nodes: Readonly<Record<string, Node>>): number {
  let count = 0;
  for (const node of Object.values(nodes)) if (node.class === "Code_block" && !node.api.disabled) count += 1;
  return count;
}

/** In a new session no node has run yet. */
function newSessionText(choice: RunChoice | undefined, count: number): string {
  if (count === 0) return "There is no code to run.";
  if (choice?.resume) return "A new session starts and runs what is not kept.";
  switch (choice?.mode) {
    case "one":
    case "to":
      return "A new session starts and runs this node and the nodes it needs.";
    case "from":
      return "A new session starts and runs this node, the nodes it needs and the nodes after it.";
    case "changed":
    case "all":
    case undefined:
      return `A new session starts. ${count === 1 ? "1 node runs" : `All ${count.toLocaleString()} nodes run`}.`;
  }
}
