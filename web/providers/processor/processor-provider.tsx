import { useQuery, useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from "react";

import { refresh } from "../../limits.ts";

import { cancelJob, refetchJobs } from "../../api/jobs/jobs.ts";
import {
  checkRun,
  createProcessor,
  readBreak,
  readProcessor,
  sendProcessorCommand,
} from "../../api/jobs/processors.ts";
import { readLastOutputs, readNodeRuns } from "../../api/jobs/runs.ts";
import { logWarning } from "../../log.ts";
import { useGraph, useSession } from "../object-provider.tsx";
import { useRealtime } from "../realtime-provider.tsx";
import { BreakpointDialog } from "../debugger/breakpoint-dialog.tsx";
import { type CrashStore, createCrashStore } from "../debugger/crash-store.ts";
import { createDebuggerStore, type DebuggerState, type DebuggerStore } from "../debugger/debugger-store.ts";
import { createUnsavedCode, type UnsavedCode } from "../unsaved/unsaved-code.ts";
import { useFollowedUnsavedCode } from "../unsaved/follow-unsaved-code.ts";
import { firstDraftProblem } from "../../ui/form/draft-problems.ts";
import { flushDrafts } from "../../ui/form/use-draft.ts";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { createDebugMode, type DebugMode } from "./debug-mode.ts";
import { keepBreakpoints, rememberedBreakpoints } from "./kept-breakpoints.ts";
import { listenToProcessor } from "./listen-to-processor.ts";
import { createProcessorActions, type ProcessorActions } from "./processor-session.ts";
import { createProcessorStore, type ProcessorState, type ProcessorStore } from "./processor-store.ts";
import { createReveal, type Reveal } from "./reveal.ts";
import { createRunClock, type RunClock } from "./runs/run-clock.ts";
import { createRunStore, type RunStore } from "./runs/run-store.ts";
import { createRunRefusal, type RunRefusal } from "./runs/run-refusal.ts";
import { createTokenPrompt } from "./token/token-prompt.ts";
import { TokenPromptDialogs } from "./token/token-prompt-dialogs.tsx";
import { useMissedExceptions } from "./use-missed-exceptions.ts";
import { useProcessorKeys } from "./use-processor-keys.ts";

export interface OpenProcessor {
  graphId: string;
  projectId: string;
  store: ProcessorStore;
  runs: RunStore;
  debugMode: DebugMode;
  debug: DebuggerStore;
  crash: CrashStore;
  reveal: Reveal;
  clock: RunClock;
  unsaved: UnsavedCode;
  refusal: RunRefusal;
  actions: ProcessorActions;
  /** Sets or removes a breakpoint, with or without a processor. */
  toggleBreakpoint: (wobId: number, line: number) => void;
}

const ProcessorContext = createContext<OpenProcessor | undefined>(undefined);

interface ProcessorProviderProps {
  graphId: string;
  projectId: string;
  children: ReactNode;
}

/** The processor of the open graph: one for everything that shows it or sends it commands. */
export function ProcessorProvider({ graphId, projectId, children }: ProcessorProviderProps) {
  const realtime = useRealtime();
  const client = useQueryClient();
  const [prompt] = useState(createTokenPrompt);

  const open = useMemo((): OpenProcessor => {
    const store = createProcessorStore(rememberedBreakpoints(graphId));
    const unsaved = createUnsavedCode();
    const refusal = createRunRefusal();
    const debugMode = createDebugMode(graphId);
    const actions = createProcessorActions({
      graphId,
      projectId,
      store,
      realtime,
      calls: {
        ...{ read: readProcessor, create: createProcessor, command: sendProcessorCommand, cancel: cancelJob },
        checkRun,
      },
      askForToken: prompt.ask,
      unsaved,
      refusal,
      exceptions: debugMode.exceptions,
    });
    const toggleBreakpoint = (wobId: number, line: number) => {
      const { job, debugging } = store.get();
      const isSet = debugging.breakpoints[wobId]?.[line] !== undefined;
      if (isSet) toastFailure(actions.removeBreakpoint(wobId, line));
      else if (job) toastFailure(actions.addBreakpoint(wobId, line));
      // The next start brings it along.
      else store.setBreakpoint(wobId, line);
    };
    return {
      graphId,
      projectId,
      store,
      runs: createRunStore(),
      debugMode,
      debug: createDebuggerStore({ graphId, processor: store, actions }),
      crash: createCrashStore(),
      reveal: createReveal(),
      clock: createRunClock(),
      unsaved,
      refusal,
      actions,
      toggleBreakpoint,
    };
  }, [graphId, projectId, realtime, prompt]);

  const { store, runs, debug } = open;
  useEffect(
    () =>
      listenToProcessor({
        graphId,
        realtime,
        store,
        runs,
        onOther: () => refetchJobs(client),
      }),
    [graphId, realtime, store, runs, client],
  );
  useEffect(() => keepBreakpoints(graphId, store), [graphId, store]);
  useEffect(() => open.clock.follow(store), [open, store]);
  const mayAsk = useGraph((view) => view.loaded && !view.viewOnly);
  useEffect(() => debug.follow(() => mayAsk), [debug, mayAsk]);

  useQuery({
    queryKey: ["processor", graphId],
    queryFn: async () => {
      const job = (await readProcessor(graphId)) ?? null;
      store.observe(job);
      return job;
    },
    enabled: graphId !== "",
    refetchInterval: refresh.processor,
  });
  useMissedBreak(open);
  useEarlierRuns(open);
  useMissedExceptions(graphId, store);
  useProcessorKeys(open);
  useFollowedUnsavedCode(graphId, open.unsaved);
  const session = useSession();
  // A run uses the values that its person sees, also those that are still on their way.
  useEffect(
    () =>
      open.unsaved.offer(() => {
        flushDrafts();
        const problem = firstDraftProblem();
        if (problem !== undefined) throw new Error(`${problem} Nothing was run.`);
        return session.sent();
      }),
    [open, session],
  );

  return (
    <ProcessorContext value={open}>
      {children}
      <TokenPromptDialogs prompt={prompt} />
      <BreakpointDialog open={open} />
    </ProcessorContext>
  );
}

/** Shows where a run is paused to people who open the graph after it stopped. */
function useMissedBreak({ graphId, store }: OpenProcessor): void {
  const isPaused = useSyncExternalStore(store.watch, () => store.get().job?.workflow_state === "RESUMEREADY");
  useEffect(() => {
    if (!isPaused) return;
    let isOver = false;
    readBreak(graphId)
      .then((event) => {
        if (event && !isOver && event.job_id === store.get().job?.id) store.hit(event);
      })
      .catch((cause: unknown) => logWarning("Where the processor is paused could not be read.", cause));
    return () => {
      isOver = true;
    };
  }, [graphId, store, isPaused]);
}

/** Reads what the session has already run: when the graph is opened, and after a reconnect, which may have missed events. */
function useEarlierRuns({ store, runs }: OpenProcessor): void {
  const realtime = useRealtime();
  const jobId = useSyncExternalStore(store.watch, () => store.get().job?.id);
  useEffect(() => {
    runs.begin(jobId);
    if (jobId === undefined) return;
    const read = () => {
      const asked = runs.ask(jobId);
      Promise.all([readNodeRuns(jobId), readLastOutputs(jobId)])
        .then(([nodes, outputs]) => asked.answer(nodes, outputs))
        .catch((cause: unknown) => logWarning("What the session has run could not be read.", cause));
    };
    read();
    // `project_members` comes after every enter: from then on all events arrive again.
    const stops = [
      realtime.on("project_members", read),
      realtime.on("outputs_left_out", (event) => {
        if (event.job_id === jobId) read();
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [runs, jobId, realtime]);
}

export function useProcessor(): OpenProcessor {
  const open = useContext(ProcessorContext);
  if (!open) throw new Error("This needs a ProcessorProvider around it.");
  return open;
}

/** Part of the processor's state; draws again only when that part is another. */
export function useProcessorState<Part>(select: (state: ProcessorState) => Part): Part {
  const { store } = useProcessor();
  const snapshot = useCallback(() => select(store.get()), [store, select]);
  return useSyncExternalStore(store.watch, snapshot);
}

/** Part of what a person looks at while the processor is paused. */
export function useDebugger<Part>(select: (state: DebuggerState) => Part): Part {
  const { debug } = useProcessor();
  const snapshot = useCallback(() => select(debug.get()), [debug, select]);
  return useSyncExternalStore(debug.watch, snapshot);
}
