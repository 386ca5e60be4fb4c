import { debugging as limits } from "@miranda/contract/limits.ts";
import type { Cut } from "@miranda/contract/schemas/processors.ts";

import { isRefusedWith } from "../../api/http.ts";
import { readStored, removeStored, writeStored } from "../../storage.ts";
import type { ProcessorStore } from "../processor/processor-store.ts";
import type { PausedActions } from "./paused-actions.ts";

/** The variables of a frame, or why they cannot be had. */
export interface FrameVariables {
  locals: Readonly<Record<string, unknown>>;
  cuts: readonly Cut[];
  error?: string;
}

export interface Evaluated {
  value: unknown;
  cuts: readonly Cut[];
  output: string;
  error: string | null;
  /** Somebody else started the run, so the watch was not evaluated. */
  isOthers?: boolean;
}

export interface Watch {
  expression: string;
  /** Undefined: it was not evaluated at this stop. */
  result: Evaluated | undefined;
}

export interface ConsoleEntry {
  id: number;
  expression: string;
  /** Undefined: it is being evaluated. */
  result: Evaluated | undefined;
}

export interface DebuggerState {
  /** Which frame of the stack is looked at, counted from the innermost. */
  readonly frame: number;
  /** Undefined while they are on their way. */
  readonly variables: FrameVariables | undefined;
  readonly watches: readonly Watch[];
  readonly console: readonly ConsoleEntry[];
  /** The breakpoint whose condition is being edited. */
  readonly edited: { wobId: number; line: number } | undefined;
}

export type DebuggerStore = ReturnType<typeof createDebuggerStore>;

interface Dependencies {
  graphId: string;
  processor: Pick<ProcessorStore, "get" | "watch">;
  actions: PausedActions;
}

/** What a person looks at while the processor is paused. Watches are kept in the browser, one list for each graph. */
export function createDebuggerStore({ graphId, processor, actions }: Dependencies) {
  const key = `watches:${graphId}`;
  const watchers = new Set<() => void>();
  let last = 0;
  let stop = processor.get().debugging.stop;
  let state: DebuggerState = {
    frame: 0,
    variables: stop && { locals: stop.locals, cuts: stop.cuts ?? [] },
    watches: keptWatches(key).map((expression) => ({ expression, result: undefined })),
    console: [],
    edited: undefined,
  };

  function show(changes: Partial<DebuggerState>): void {
    state = { ...state, ...changes };
    for (const watcher of watchers) watcher();
  }

  /** Evaluates, and gives undefined when the processor has gone on meanwhile. */
  async function evaluate(expression: string, isWatch: boolean): Promise<Evaluated | undefined> {
    const at = stop;
    const how = isWatch ? { seconds: limits.watchSeconds, onlyOwn: true } : {};
    try {
      const { value, cuts, output, error } = await actions.evaluate({ expression, frame: state.frame, ...how });
      return at === stop ? { value, cuts, output, error } : undefined;
    } catch (cause) {
      return at === stop ? failure(cause) : undefined;
    }
  }

  async function evaluateWatches(isWatch = true): Promise<void> {
    const at = stop;
    // One after the other: answers come to everybody, and are told apart by expression and frame.
    for (const { expression } of state.watches) {
      const result = await evaluate(expression, isWatch);
      if (at !== stop || !at) return;
      show({ watches: state.watches.map((one) => (one.expression === expression ? { expression, result } : one)) });
    }
  }

  async function readFrame(frame: number): Promise<void> {
    const at = stop;
    let variables: FrameVariables;
    try {
      const { locals, cuts } = await actions.frame(frame);
      variables = { locals, cuts };
    } catch (cause) {
      variables = { locals: {}, cuts: [], error: failure(cause).error ?? "" };
    }
    if (at === stop && state.frame === frame) show({ variables });
  }

  function setWatches(watches: readonly Watch[]): void {
    show({ watches });
    if (watches.length === 0) removeStored(key);
    else writeStored(key, JSON.stringify(watches.map(({ expression }) => expression)));
  }

  return {
    get: () => state,
    watch(watcher: () => void): () => void {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },

    /** Follows the processor from stop to stop. Those who may only read ask for nothing. */
    follow(mayAsk: () => boolean): () => void {
      const look = () => {
        const now = processor.get().debugging.stop;
        if (now === stop) return;
        stop = now;
        const forgotten = state.watches.map(({ expression }) => ({ expression, result: undefined }));
        const running = state.console.map((entry) => (entry.result ? entry : { ...entry, result: wentOn }));
        const variables = now && { locals: now.locals, cuts: now.cuts ?? [] };
        show({ frame: 0, variables, watches: forgotten, console: running });
        if (now && mayAsk()) void evaluateWatches();
      };
      look();
      if (stop && mayAsk()) void evaluateWatches();
      return processor.watch(look);
    },

    chooseFrame(frame: number): void {
      if (frame === state.frame) return;
      show({ frame, variables: undefined });
      void readFrame(frame).then(() => evaluateWatches());
    },

    addWatch(text: string): void {
      const expression = text.trim().slice(0, limits.expressionMax);
      if (expression === "" || state.watches.length >= limits.watchesMax) return;
      if (state.watches.some((one) => one.expression === expression)) return;
      setWatches([...state.watches, { expression, result: undefined }]);
      if (stop) void evaluateWatches();
    },
    removeWatch: (expression: string) => setWatches(state.watches.filter((one) => one.expression !== expression)),
    /** In somebody else's run watches wait until they are asked for by hand. */
    evaluateWatches: () => evaluateWatches(false),

    /** Evaluates in the frame that is looked at; what it changes is seen at once. */
    async run(expression: string): Promise<void> {
      const id = ++last;
      const entries = [...state.console, { id, expression, result: undefined }];
      show({ console: entries.slice(-limits.consoleEntriesMax) });
      const result = (await evaluate(expression, false)) ?? wentOn;
      show({ console: state.console.map((entry) => (entry.id === id ? { ...entry, result } : entry)) });
      if (!stop || result === wentOn) return;
      await readFrame(state.frame);
      await evaluateWatches();
    },
    cancel: () => actions.cancelEvaluate(),
    clearConsole: () => show({ console: state.console.filter(({ result }) => result === undefined) }),

    edit: (wobId: number, line: number) => show({ edited: { wobId, line } }),
    closeEditor: () => show({ edited: undefined }),
  };
}

const wentOn: Evaluated = { value: null, cuts: [], output: "", error: "The processor went on." };

function failure(cause: unknown): Evaluated {
  const error = cause instanceof Error ? cause.message : String(cause);
  return { value: null, cuts: [], output: "", error, isOthers: isRefusedWith(cause, "run_by_another") };
}

function keptWatches(key: string): string[] {
  try {
    const kept: unknown = JSON.parse(readStored(key) ?? "[]");
    const texts = Array.isArray(kept) ? kept.filter((one): one is string => typeof one === "string") : [];
    return [...new Set(texts)].slice(0, limits.watchesMax);
  } catch {
    return [];
  }
}
