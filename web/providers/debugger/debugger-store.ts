import { debugging as limits } from "@miranda/contract/limits.ts";
import type { Cut } from "@miranda/contract/schemas/processors.ts";

import { isRefusedWith } from "../../api/http.ts";
import { messageOf } from "../../message-of.ts";
import { readStored, removeStored, writeStored } from "../../storage.ts";
import { createStore } from "../../store.ts";
import type { ProcessorStore } from "../processor/processor-store.ts";
import type { PausedActions } from "./paused-actions.ts";

/** The variables of a frame, or the error that prevents showing them. */
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
  /** The selected frame of the stack; 0 is the innermost. */
  readonly frame: number;
  /** Undefined while they are being fetched. */
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

/** What the debugger shows while the processor is paused. Watches are kept in the browser, one list for each graph. */
export function createDebuggerStore({ graphId, processor, actions }: Dependencies) {
  const key = `watches:${graphId}`;
  let last = 0;
  let stop = processor.get().debugging.stop;
  const { get, set, watch } = createStore<DebuggerState>({
    frame: 0,
    variables: stop && { locals: stop.locals, cuts: stop.cuts ?? [] },
    watches: keptWatches(key).map((expression) => ({ expression, result: undefined })),
    console: [],
    edited: undefined,
  });

  function update(changes: Partial<DebuggerState>): void {
    set({ ...get(), ...changes });
  }

  /** Undefined when the processor has resumed meanwhile. */
  async function evaluate(expression: string, isWatch: boolean): Promise<Evaluated | undefined> {
    const at = stop;
    const how = isWatch ? { seconds: limits.watchSeconds, onlyOwn: true } : {};
    try {
      const { value, cuts, output, error } = await actions.evaluate({ expression, frame: get().frame, ...how });
      return at === stop ? { value, cuts, output, error } : undefined;
    } catch (cause) {
      return at === stop ? failure(cause) : undefined;
    }
  }

  async function evaluateWatches(isWatch = true): Promise<void> {
    const at = stop;
    // One after the other: everybody gets the answers, and only expression and frame identify them.
    for (const { expression } of get().watches) {
      const result = await evaluate(expression, isWatch);
      if (at !== stop || !at) return;
      update({ watches: get().watches.map((one) => (one.expression === expression ? { expression, result } : one)) });
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
    if (at === stop && get().frame === frame) update({ variables });
  }

  function setWatches(watches: readonly Watch[]): void {
    update({ watches });
    if (watches.length === 0) removeStored(key);
    else writeStored(key, JSON.stringify(watches.map(({ expression }) => expression)));
  }

  return {
    get,
    watch,

    /** Follows the processor from stop to stop. Those who may only read ask for nothing. */
    follow(mayAsk: () => boolean): () => void {
      const look = () => {
        const now = processor.get().debugging.stop;
        if (now === stop) return;
        stop = now;
        const forgotten = get().watches.map(({ expression }) => ({ expression, result: undefined }));
        const running = get().console.map((entry) => (entry.result ? entry : { ...entry, result: wentOn }));
        const variables = now && { locals: now.locals, cuts: now.cuts ?? [] };
        update({ frame: 0, variables, watches: forgotten, console: running });
        if (now && mayAsk()) void evaluateWatches();
      };
      look();
      if (stop && mayAsk()) void evaluateWatches();
      return processor.watch(look);
    },

    chooseFrame(frame: number): void {
      if (frame === get().frame) return;
      update({ frame, variables: undefined });
      void readFrame(frame).then(() => evaluateWatches());
    },

    addWatch(text: string): void {
      const expression = text.trim().slice(0, limits.expressionMax);
      if (expression === "" || get().watches.length >= limits.watchesMax) return;
      if (get().watches.some((one) => one.expression === expression)) return;
      setWatches([...get().watches, { expression, result: undefined }]);
      if (stop) void evaluateWatches();
    },
    removeWatch: (expression: string) => setWatches(get().watches.filter((one) => one.expression !== expression)),
    /** In somebody else's run, watches are evaluated only on request. */
    evaluateWatches: () => evaluateWatches(false),

    /** Evaluates in the selected frame, then reads the variables and watches again: the expression may change them. */
    async run(expression: string): Promise<void> {
      const id = ++last;
      const entries = [...get().console, { id, expression, result: undefined }];
      update({ console: entries.slice(-limits.consoleEntriesMax) });
      const result = (await evaluate(expression, false)) ?? wentOn;
      update({ console: get().console.map((entry) => (entry.id === id ? { ...entry, result } : entry)) });
      if (!stop || result === wentOn) return;
      await readFrame(get().frame);
      await evaluateWatches();
    },
    cancel: () => actions.cancelEvaluate(),
    clearConsole: () => update({ console: get().console.filter(({ result }) => result === undefined) }),

    edit: (wobId: number, line: number) => update({ edited: { wobId, line } }),
    closeEditor: () => update({ edited: undefined }),
  };
}

const wentOn: Evaluated = { value: null, cuts: [], output: "", error: "The processor went on." };

function failure(cause: unknown): Evaluated {
  const error = messageOf(cause);
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
