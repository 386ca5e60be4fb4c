import type { Breakpoints, Debugging } from "../debugger/breakpoint-list.ts";
import {
  addBreakpoint,
  afterUpdate,
  type BreakpointExtras,
  changeBreakpoint,
  clearTriggered,
  exceptionInfo,
  hitBreakpoint,
  noDebugging,
  removeBreakpoint,
} from "../debugger/breakpoint-list.ts";
import type { WorkflowState } from "@miranda/contract/processor.ts";
import type {
  ActedEvent,
  BreakEvent,
  ExceptionEvent,
  ExceptionInfo,
  InterruptingEvent,
  JobSummary,
  RunEndedEvent,
} from "@miranda/contract/schemas/processors.ts";
import type { RunException } from "@miranda/contract/schemas/runs.ts";

import { createStore } from "../../store.ts";

export interface ProcessorState {
  /** The server has answered. */
  readonly loaded: boolean;
  readonly job: JobSummary | undefined;
  /** The state to show: the one that a command will lead to, until the server confirms or refuses it. */
  readonly shown: WorkflowState | undefined;
  readonly waitingOnTag: number | null;
  readonly debugging: Debugging;
  /** The last command that somebody gave this session. */
  readonly acted: (ActedEvent & { time: number }) | undefined;
  /** An interrupt under way: since when, and which nodes it waits for, as far as known. */
  readonly interrupt: Interrupt | undefined;
  /** The nodes that failed in the last run. */
  readonly failed: readonly number[];
}

export interface Interrupt {
  readonly since: number;
  /** When somebody last asked to stop a node by force. */
  readonly forcedAt?: number;
  readonly nodes: InterruptingEvent["nodes"];
}

interface Ahead {
  state: WorkflowState;
  before: WorkflowState | undefined;
  answered: boolean;
}

export type ProcessorStore = ReturnType<typeof createProcessorStore>;

/** The state of a graph's processor, and the state shown before the server confirms it. */
export function createProcessorStore(remembered: Breakpoints = {}) {
  let ahead: Ahead | undefined;
  /** Where a step stopped although nobody set a breakpoint there. Its mark must go when the processor resumes. */
  let visited: { wobId: number; line: number } | undefined;
  /** The exception of each node since the last run began. */
  let raised = new Map<number, ExceptionInfo>();
  const { get, set, watch } = createStore<ProcessorState>({
    loaded: false,
    job: undefined,
    shown: undefined,
    waitingOnTag: null,
    debugging: { ...noDebugging, breakpoints: remembered },
    acted: undefined,
    interrupt: undefined,
    failed: [],
  });

  function update(changes: Partial<ProcessorState>): void {
    const next = { ...get(), ...changes };
    set({ ...next, shown: ahead?.state ?? next.job?.workflow_state });
  }

  function debug(changes: Partial<Debugging>): void {
    update({ debugging: { ...get().debugging, ...changes } });
  }

  /** A new state ends an interrupt; a new run clears the failures. */
  function endsOf(before: WorkflowState | undefined, now: WorkflowState): Partial<ProcessorState> {
    const isBusy = now === "RUNNING" || now === "RESUMEREADY";
    // A pause in the middle of a run is not another run.
    const begins = now === "RUNNING" && before !== "RUNNING" && before !== "RESUMEREADY";
    if (begins) raised = new Map();
    return { ...(!isBusy && { interrupt: undefined }), ...((begins || before === undefined) && { failed: [] }) };
  }

  function leave(breakpoints: Breakpoints): Breakpoints {
    const calm = clearTriggered(breakpoints);
    const left = visited ? removeBreakpoint(calm, visited.wobId, visited.line) : calm;
    visited = undefined;
    return left;
  }

  function debuggingAfter(before: WorkflowState | undefined, now: WorkflowState): Debugging {
    // Usage samples come as updates too. Only a new state ends anything.
    if (before === now) return get().debugging;
    const after = afterUpdate(get().debugging, before, now);
    const ended = after.breakpoints !== get().debugging.breakpoints;
    const resumed = before === "RESUMEREADY" && now === "RUNNING";
    // Nobody can resume from where the worker died.
    const died = now === "ERROR";
    return ended || resumed || died ? { ...after, breakpoints: leave(get().debugging.breakpoints) } : after;
  }

  return {
    get,
    watch,

    /** The processor as the server has it; null when the graph never had one. */
    observe(job: JobSummary | null): void {
      const { job: known } = get();
      if (!job) return update({ loaded: true });
      // A late event about a session that another has replaced.
      if (known && known.id !== job.id && Date.parse(job.time_created) < Date.parse(known.time_created)) return;
      const isOther = known?.id !== job.id;
      // An answer that is older than an event of the socket.
      if (!isOther && job.revision < known.revision) return;
      const before = isOther ? undefined : known.workflow_state;
      if (ahead && (isOther || ahead.answered || job.workflow_state !== ahead.before)) ahead = undefined;
      update({
        loaded: true,
        job,
        waitingOnTag: job.tag === get().waitingOnTag ? null : get().waitingOnTag,
        debugging: debuggingAfter(before, job.workflow_state),
        acted: get().acted?.job_id === job.id ? get().acted : undefined,
        ...endsOf(before, job.workflow_state),
      });
    },

    /** Shows a state before the server has it. After the answer to the command, the server's next update replaces it. */
    anticipate(to: WorkflowState) {
      const own: Ahead = { state: to, before: get().job?.workflow_state, answered: false };
      ahead = own;
      update({});
      return {
        again(): void {
          own.answered = false;
          ahead = own;
          update({});
        },
        isShown: () => ahead === own,
        answered(): void {
          own.answered = true;
        },
        takeBack(): void {
          if (ahead === own) ahead = undefined;
          update({});
        },
      };
    },

    wait(tag: number | null): void {
      if (tag !== get().waitingOnTag) update({ waitingOnTag: tag });
    },

    hit(event: BreakEvent): void {
      // A step can end before its beginning was published.
      ahead = undefined;
      const calm = leave(get().debugging.breakpoints);
      if (!calm[event.wob_key]?.[event.line_number]) visited = { wobId: event.wob_key, line: event.line_number };
      const { stop } = get().debugging;
      // The same stop comes by the socket and by HTTP. Keep the object: a new one would clear the variables and watches.
      const isKnown = stop && JSON.stringify(stop) === JSON.stringify(event);
      debug({ breakpoints: hitBreakpoint(calm, event), stop: isKnown ? stop : event, exception: undefined });
    },

    /** Forgets the stop: somebody resumed. */
    resume(): void {
      debug({ breakpoints: leave(get().debugging.breakpoints), stop: undefined });
    },

    act(event: ActedEvent): void {
      const isForced = event.command === "force-stop";
      const known = get().interrupt ?? (event.command === "interrupt" || isForced ? begunNow() : undefined);
      const interrupt = known && isForced ? { ...known, forcedAt: Date.now() } : known;
      update({ acted: { ...event, time: Date.now() }, interrupt });
    },

    /** Shows an interrupt before the server has it. */
    beginInterrupt(): { takeBack: () => void } {
      const own = get().interrupt ?? begunNow();
      update({ interrupt: own });
      return { takeBack: () => get().interrupt?.since === own.since && update({ interrupt: undefined }) };
    },
    interrupting({ seconds, nodes }: InterruptingEvent): void {
      // A late event: the run is over.
      if (get().shown !== "RUNNING" && get().shown !== "RESUMEREADY") return;
      const known = get().interrupt;
      update({ interrupt: { ...known, since: known?.since ?? Date.now() - seconds * 1_000, nodes } });
    },
    endRun: ({ failed }: RunEndedEvent) => update({ interrupt: undefined, failed }),

    raise(event: ExceptionEvent): void {
      raised.set(event.wob_key, exceptionInfo(event));
      debug({ exception: exceptionInfo(event) });
    },
    /** Shows what the last run raised before this page was open. */
    recall(exceptions: readonly Pick<RunException, "wob_key" | "line" | "function" | "traceback">[]): void {
      if (raised.size > 0) return;
      for (const { wob_key, line, function: name, traceback } of exceptions)
        if (wob_key !== null) raised.set(wob_key, { wobId: wob_key, line, function: name, traceback });
      const last = [...raised.values()].at(-1);
      if (!last) return;
      update({ failed: [...raised.keys()] });
      debug({ exception: last });
    },
    /** Shows this node's exception again. */
    showException(wobId: number): void {
      const known = raised.get(wobId);
      if (known) debug({ exception: known });
    },
    dismissException: () => debug({ exception: undefined }),
    setRunning: (wobId: number | null) => debug({ runningNode: wobId ?? undefined }),

    setBreakpoint(wobId: number, line: number): void {
      if (visited?.wobId === wobId && visited.line === line) visited = undefined;
      debug({ breakpoints: addBreakpoint(get().debugging.breakpoints, wobId, line) });
    },
    changeBreakpoint(wobId: number, line: number, extras: BreakpointExtras): void {
      if (visited?.wobId === wobId && visited.line === line) visited = undefined;
      debug({ breakpoints: changeBreakpoint(get().debugging.breakpoints, wobId, line, extras) });
    },
    unsetBreakpoint(wobId: number, line: number): void {
      debug({ breakpoints: removeBreakpoint(get().debugging.breakpoints, wobId, line) });
    },
    unsetAll: () => debug({ breakpoints: {} }),

    /** The breakpoints that people set, without the place where a step stopped. */
    ownBreakpoints: (): Breakpoints =>
      visited
        ? removeBreakpoint(get().debugging.breakpoints, visited.wobId, visited.line)
        : get().debugging.breakpoints,
  };
}

function begunNow(): Interrupt {
  return { since: Date.now(), nodes: [] };
}
