import {
  breakpointArgs,
  compileArgs,
  type CompileArgs,
  continueArgs,
  gitArgs,
  runArgs,
  type RunArgs,
  sampleArgs,
  type SampleArgs,
  startArgs,
} from "@miranda/contract/command-args.ts";
import { type BreakpointExtras, breakpointLines, triggeredBreakpoint } from "../debugger/breakpoint-list.ts";
import { messages } from "@miranda/contract/words/messages.ts";
import { timeouts } from "../../limits.ts";
import {
  canContinue,
  canCreate,
  type Command,
  creationOutcome,
  type ExceptionMode,
  isAlive,
  optimisticState,
  stopDecision,
} from "@miranda/contract/processor.ts";
import type {
  CommandEvent,
  CompileEvent,
  GitEvent,
  JobSummary,
  PlanEvent,
  SampleEvent,
} from "@miranda/contract/schemas/processors.ts";

import type { Realtime } from "../../api/socket.ts";
import type { UnsavedCode } from "../unsaved/unsaved-code.ts";
import { createPausedActions, type PausedActions } from "../debugger/paused-actions.ts";
import { type AnsweredCommand, awaitAnswer, awaitNumbered, type Fits } from "./answers.ts";
import { type AskForToken, withExecutionToken } from "./token/execution-token.ts";
import type { ProcessorStore } from "./processor-store.ts";
import { errorWords } from "../../format/error-words.ts";
import { createInterruptActions, type InterruptActions } from "./interrupt-actions.ts";
import type { RunRefusal } from "./runs/run-refusal.ts";

/** The calls a processor needs. */
export interface ProcessorCalls {
  read: (graphId: string) => Promise<JobSummary | null | undefined>;
  /** `forRun`: a run follows as soon as it is ready. */
  create: (graphId: string, tag: number, forRun: boolean) => Promise<{ tag?: number } | undefined>;
  command: (graphId: string, command: Command, args?: string) => Promise<{ number?: number } | undefined>;
  checkRun: (graphId: string, args: string) => Promise<void>;
  cancel: (jobId: string) => Promise<unknown>;
}

/** What a person can do with a processor. Every refusal is an error whose message is meant for them. */
export interface ProcessorActions extends PausedActions, InterruptActions {
  create: () => Promise<void>;
  stop: () => Promise<void>;
  cancel: () => Promise<void>;
  restart: () => Promise<void>;
  start: (line?: number) => Promise<void>;
  /** With its breakpoints, or past them. */
  run: (args: Omit<RunArgs, "breakpoints">, debug?: boolean) => Promise<void>;
  /** These two only ask: nobody is bothered for a token on their account. */
  plan: (args: Omit<RunArgs, "breakpoints">, debug?: boolean) => Promise<PlanEvent>;
  sample: (args: SampleArgs) => Promise<SampleEvent>;
  /** Whether a run would be refused because of its code, while there is no processor to ask for a plan. */
  checkRun: (args: Omit<RunArgs, "breakpoints">) => Promise<void>;
  runSetup: () => Promise<CommandEvent>;
  compile: (args: CompileArgs) => Promise<CompileEvent>;
  resume: () => Promise<void>;
  pause: () => Promise<void>;
  step: (how: "step-over" | "step-in" | "step-out") => Promise<void>;
  gitPull: (node?: number) => Promise<GitEvent>;
  gitSoftPull: (node?: number) => Promise<GitEvent>;
  gitPush: (node?: number) => Promise<GitEvent>;
  addBreakpoint: (wobId: number, line: number) => Promise<void>;
  changeBreakpoint: (wobId: number, line: number, extras: BreakpointExtras) => Promise<void>;
  removeBreakpoint: (wobId: number, line: number) => Promise<void>;
  clearBreakpoints: () => Promise<void>;
  info: () => Promise<void>;
}

interface Dependencies {
  graphId: string;
  projectId: string;
  store: ProcessorStore;
  realtime: Pick<Realtime, "on" | "broadcast">;
  calls: ProcessorCalls;
  askForToken: AskForToken;
  unsaved: Pick<UnsavedCode, "sent" | "included">;
  refusal: RunRefusal;
  /** Which exceptions stop this person's runs. */
  exceptions: () => ExceptionMode;
}

/** How long after its answer to a command the server's event may take. */
const eventPatience = 3_000;

export function createProcessorActions(deps: Dependencies): ProcessorActions {
  const { graphId, projectId, store, realtime, calls, askForToken, unsaved, refusal, exceptions } = deps;
  const state = () => store.get().shown;
  const current = () => store.get().job;

  async function look(): Promise<void> {
    store.observe((await calls.read(graphId)) ?? null);
  }

  function requireProject(): void {
    if (!projectId || !graphId) throw new Error(messages.noProjectSelected);
  }

  /** Sends a command, with its state shown at once and taken back when it is refused. */
  async function command(name: Command, args?: string): Promise<void> {
    requireProject();
    const job = current();
    if (!job || (!isAlive(job.workflow_state) && name !== "restart")) throw new Error(messages.noProcessorForCommand);
    const to = optimisticState(name);
    const ahead = to && store.anticipate(to);
    try {
      await withExecutionToken({
        call: () => calls.command(graphId, name, args),
        askForToken,
        onCancel: () => ahead?.takeBack(),
        onRetry: () => ahead?.again(),
      });
    } catch (cause) {
      ahead?.takeBack();
      throw new Error(messages.failedCommand(name, errorWords(cause) ?? messages.unknownError), { cause });
    }
    if (ahead) settle(ahead, keepsState(name) ? 0 : eventPatience);
  }

  /** Lets the server's word count again: at once where nothing will change, else when its event is overdue. */
  function settle(ahead: ReturnType<ProcessorStore["anticipate"]>, wait: number): void {
    setTimeout(() => {
      if (!ahead.isShown()) return;
      ahead.answered();
      look().catch(() => ahead.takeBack());
    }, wait);
  }

  async function answered<Name extends AnsweredCommand>(name: Name, args?: string, fits?: Fits<Name>) {
    requireProject();
    const job = current();
    if (!job) throw new Error(messages.noProcessorForCommand);
    const { answer, stop } = awaitAnswer(realtime, name, job.id, fits);
    try {
      await command(name, args);
    } catch (cause) {
      stop();
      throw cause;
    }
    return answer;
  }

  /** Asks without showing anything, and without a token being asked for. */
  async function ask<Name extends AnsweredCommand>(name: Name, args: string, fits: Fits<Name>) {
    const job = current();
    if (!job || !isAlive(job.workflow_state)) throw new Error(messages.noProcessorForCommand);
    const { answer, stop } = awaitAnswer(realtime, name, job.id, fits);
    try {
      await calls.command(graphId, name, args);
    } catch (cause) {
      stop();
      throw cause;
    }
    return answer;
  }

  async function create(forRun = false): Promise<void> {
    requireProject();
    if (store.get().waitingOnTag !== null || !canCreate(state())) return;
    const tag = randomTag();
    const ahead = store.anticipate("STARTING");
    const announce = (waiting: number | null) => {
      store.wait(waiting);
      realtime.broadcast("setWaitingOnTag", { tag: waiting });
    };
    announce(tag);
    const ready = awaitReady(tag);
    try {
      const answer = await withExecutionToken({
        call: () => calls.create(graphId, tag, forRun),
        askForToken,
        onCancel: () => {
          announce(null);
          ahead.takeBack();
        },
        onRetry: () => {
          ahead.again();
          announce(tag);
        },
      }).catch((cause: unknown) => {
        throw new Error(messages.failedCreation(errorWords(cause)), { cause });
      });
      if (answer?.tag === undefined) throw new Error(messages.failedCreation());
      void look().catch(() => undefined);
      await ready.within(timeouts.createProcessor);
    } finally {
      ready.stop();
      ahead.takeBack();
      if (store.get().waitingOnTag === tag) announce(null);
    }
  }

  /** The update with this tag and the state READY, from an event or from a request. */
  function awaitReady(tag: number) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => undefined);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unwatch = store.watch(() => {
      const job = current();
      const outcome = job ? creationOutcome(tag, job) : "waiting";
      if (outcome === "ready") resolve();
      else if (outcome === "failed") reject(new Error(messages.failedCreation()));
    });
    return {
      /** Counted from the server's answer: the time somebody takes to type a password is theirs. */
      within(wait: number): Promise<void> {
        timer = setTimeout(() => reject(new Error(messages.creationTimedOut)), wait);
        return promise;
      },
      stop(): void {
        clearTimeout(timer);
        unwatch();
      },
    };
  }

  async function cancel(): Promise<void> {
    const job = current();
    if (!job) throw new Error(messages.noProcessorToStop);
    const ahead = store.anticipate("KILLING");
    try {
      await calls.cancel(job.id);
    } catch (cause) {
      ahead.takeBack();
      throw new Error(messages.failedStop(errorWords(cause) ?? messages.unknownError), { cause });
    }
    settle(ahead, eventPatience);
  }

  let beginning: Promise<void> = Promise.resolve();
  /** With what was typed a moment ago. Wrong code is refused before a processor is started for it. */
  const begin = (name: "start" | "run", args: string, wanted = args) =>
    (beginning = refusal.during(async () => {
      await unsaved.sent();
      if (canCreate(state())) {
        await calls.checkRun(graphId, wanted);
        await create(true);
      }
      await command(name, args);
    }));

  const stopsAt = () => (exceptions() === "off" ? undefined : exceptions());
  const wish = (args: Omit<RunArgs, "breakpoints">, debug: boolean): string => {
    const stops = debug ? { breakpoints: breakpoints(), exceptions: stopsAt() } : { breakpoints: {} };
    return runArgs({ ...args, include: [...unsaved.included()], ...stops });
  };

  const breakpoints = () => breakpointLines(store.ownBreakpoints());

  async function go(name: "continue" | "step-over" | "step-in" | "step-out", args?: string): Promise<void> {
    if (!canContinue(state())) throw new Error(messages.notPaused);
    const left = triggeredBreakpoint(store.get().debugging.breakpoints);
    await command(name, args);
    // The next stop may have been published before this call was answered.
    if (triggeredBreakpoint(store.get().debugging.breakpoints) === left) store.resume();
  }

  return {
    create,
    cancel,

    start: (line) => begin("start", startArgs(line, breakpoints()), runArgs({ mode: "changed" })),
    run: (args, debug = true) => begin("run", wish(args, debug)),

    async plan(args, debug = true) {
      const job = current();
      if (!job || !isAlive(job.workflow_state)) throw new Error(messages.noProcessorForCommand);
      await unsaved.sent();
      const { numbered, stop } = awaitNumbered(realtime, "plan", job.id);
      try {
        const answer = await calls.command(graphId, "plan", wish(args, debug));
        return await numbered(answer?.number);
      } catch (cause) {
        stop();
        throw cause;
      }
    },

    async checkRun(args) {
      await unsaved.sent();
      await calls.checkRun(graphId, wish(args, false));
    },

    sample: (args) =>
      ask(
        "sample",
        sampleArgs(args),
        (event: SampleEvent) => event.wob_key === args.node && event.transmitter === args.transmitter,
      ),

    async stop() {
      requireProject();
      const decision = stopDecision(state());
      if (decision.by === "refusal") throw new Error(decision.message);
      if (decision.by === "cancel") return cancel();
      await command("stop");
    },

    async restart() {
      requireProject();
      if (!current()) throw new Error(messages.noProcessorToRestart);
      await command("restart");
    },

    runSetup: () => answered("run-setup"),
    compile: (args) =>
      answered(
        "compile",
        compileArgs(args),
        (event: CompileEvent) => event.wob_key === null || event.wob_key === args.nodeId,
      ),

    async resume() {
      const hit = triggeredBreakpoint(store.get().debugging.breakpoints);
      const lines = hit && breakpoints()[hit.wobId];
      // A person without breakpoints in this node must not remove other people's.
      await go("continue", lines && continueArgs(lines));
    },
    step: (how) => go(how),
    pause: () => command("pause"),
    ...createInterruptActions({ store, command, begun: () => beginning }),
    ...createPausedActions({ ask, answered, command }),

    gitPull: (node) => answered("git-pull", gitArgs(node)),
    gitSoftPull: (node) => answered("git-soft-pull", gitArgs(node)),
    gitPush: (node) => answered("git-push", gitArgs(node)),

    async addBreakpoint(wobId, line) {
      if (!current()) throw new Error(messages.noProcessorForBreakpoint);
      store.setBreakpoint(wobId, line);
      await sendBreakpoints(wobId);
    },

    async changeBreakpoint(wobId, line, extras) {
      store.changeBreakpoint(wobId, line, extras);
      if (current()) await sendBreakpoints(wobId);
    },

    async removeBreakpoint(wobId, line) {
      store.unsetBreakpoint(wobId, line);
      if (current()) await sendBreakpoints(wobId);
    },

    async clearBreakpoints() {
      store.unsetAll();
      if (isListening()) await command("clear");
    },

    info: () => command("info"),
  };

  function isListening(): boolean {
    const now = state();
    return now === "READY" || now === "RUNNING" || now === "RESUMEREADY";
  }

  /** Only while something runs: otherwise the next run sends all breakpoints. */
  async function sendBreakpoints(wobId: number): Promise<void> {
    const now = state();
    if (now !== "RUNNING" && now !== "RESUMEREADY") return;
    await command("break", breakpointArgs({ [wobId]: breakpoints()[wobId] ?? [] }));
  }
}

/** These the server obeys without going into another state. */
function keepsState(command: Command): boolean {
  return command === "break" || command === "clear" || command === "info";
}

function randomTag(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}
