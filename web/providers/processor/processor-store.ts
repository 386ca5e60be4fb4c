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

export interface ProcessorState {
  /** The server has been asked and has answered. */
  readonly loaded: boolean;
  readonly job: JobSummary | undefined;
  /** What to show: what a command will lead to, until the server says otherwise. */
  readonly shown: WorkflowState | undefined;
  readonly waitingOnTag: number | null;
  readonly debugging: Debugging;
  /** What somebody told this session last. */
  readonly acted: (ActedEvent & { time: number }) | undefined;
  /** An interrupt that has not come to its end: since when, and what it waits for as far as that is known. */
  readonly interrupt: Interrupt | undefined;
  /** What the last run ended with. */
  readonly failed: readonly number[];
}

export interface Interrupt {
  readonly since: number;
  readonly nodes: InterruptingEvent["nodes"];
}

interface Ahead {
  state: WorkflowState;
  before: WorkflowState | undefined;
  answered: boolean;
}

export type ProcessorStore = ReturnType<typeof createProcessorStore>;

/** What is known of a graph's processor, from whatever source, and what is shown ahead of it. */
export function createProcessorStore(remembered: Breakpoints = {}) {
  const watchers = new Set<() => void>();
  let ahead: Ahead | undefined;
  /** A step stops where nobody has set a breakpoint; the mark must not stay behind. */
  let visited: { wobId: number; line: number } | undefined;
  /** What each node raised since the last run began. */
  let raised = new Map<number, ExceptionInfo>();
  let state: ProcessorState = {
    loaded: false,
    job: undefined,
    shown: undefined,
    waitingOnTag: null,
    debugging: { ...noDebugging, breakpoints: remembered },
    acted: undefined,
    interrupt: undefined,
    failed: [],
  };

  function show(changes: Partial<ProcessorState>): void {
    const next = { ...state, ...changes };
    state = { ...next, shown: ahead?.state ?? next.job?.workflow_state };
    for (const watcher of watchers) watcher();
  }

  function debug(changes: Partial<Debugging>): void {
    show({ debugging: { ...state.debugging, ...changes } });
  }

  /** What is left of an interrupt and of failures once the server has told a state. */
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
    // A sample of the use comes as an update too; only a state that is another one ends anything.
    if (before === now) return state.debugging;
    const after = afterUpdate(state.debugging, before, now);
    const ended = after.breakpoints !== state.debugging.breakpoints;
    const resumed = before === "RESUMEREADY" && now === "RUNNING";
    // Where it stood when it died nobody can go on from.
    const died = now === "ERROR";
    return ended || resumed || died ? { ...after, breakpoints: leave(state.debugging.breakpoints) } : after;
  }

  return {
    get: () => state,

    watch(watcher: () => void): () => void {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },

    /** The processor as the server has it; null when the graph never had one. */
    observe(job: JobSummary | null): void {
      const { job: known } = state;
      if (!job) return show({ loaded: true });
      // What is told late about a session that another has replaced.
      if (known && known.id !== job.id && Date.parse(job.time_created) < Date.parse(known.time_created)) return;
      const isOther = known?.id !== job.id;
      // An answer that was on its way while the socket told something newer.
      if (!isOther && job.revision < known.revision) return;
      const before = isOther ? undefined : known.workflow_state;
      if (ahead && (isOther || ahead.answered || job.workflow_state !== ahead.before)) ahead = undefined;
      show({
        loaded: true,
        job,
        waitingOnTag: job.tag === state.waitingOnTag ? null : state.waitingOnTag,
        debugging: debuggingAfter(before, job.workflow_state),
        acted: state.acted?.job_id === job.id ? state.acted : undefined,
        ...endsOf(before, job.workflow_state),
      });
    },

    /** Shows a state before the server has it. The answer to the command makes the server's next word final. */
    anticipate(to: WorkflowState) {
      const own: Ahead = { state: to, before: state.job?.workflow_state, answered: false };
      ahead = own;
      show({});
      return {
        again(): void {
          own.answered = false;
          ahead = own;
          show({});
        },
        isShown: () => ahead === own,
        answered(): void {
          own.answered = true;
        },
        takeBack(): void {
          if (ahead === own) ahead = undefined;
          show({});
        },
      };
    },

    wait(tag: number | null): void {
      if (tag !== state.waitingOnTag) show({ waitingOnTag: tag });
    },

    hit(event: BreakEvent): void {
      // A step can be over before anybody was told that it had begun.
      ahead = undefined;
      const calm = leave(state.debugging.breakpoints);
      if (!calm[event.wob_key]?.[event.line_number]) visited = { wobId: event.wob_key, line: event.line_number };
      const { stop } = state.debugging;
      // Told by the socket and read from the server: one stop all the same, and what was asked there stays.
      const isKnown = stop && JSON.stringify(stop) === JSON.stringify(event);
      debug({ breakpoints: hitBreakpoint(calm, event), stop: isKnown ? stop : event, exception: undefined });
    },

    /** Somebody goes on from here: what was seen there is over. */
    resume(): void {
      debug({ breakpoints: leave(state.debugging.breakpoints), stop: undefined });
    },

    act(event: ActedEvent): void {
      const interrupt = event.command === "interrupt" ? (state.interrupt ?? begunNow()) : state.interrupt;
      show({ acted: { ...event, time: Date.now() }, interrupt });
    },

    /** Shows an interrupt before the server has heard of it. */
    beginInterrupt(): { takeBack: () => void } {
      const own = state.interrupt ?? begunNow();
      show({ interrupt: own });
      return { takeBack: () => state.interrupt?.since === own.since && show({ interrupt: undefined }) };
    },
    interrupting({ seconds, nodes }: InterruptingEvent): void {
      // Told late: what it waited for is over.
      if (state.shown !== "RUNNING" && state.shown !== "RESUMEREADY") return;
      show({ interrupt: { since: state.interrupt?.since ?? Date.now() - seconds * 1_000, nodes } });
    },
    endRun: ({ failed }: RunEndedEvent) => show({ interrupt: undefined, failed }),

    raise(event: ExceptionEvent): void {
      raised.set(event.wob_key, exceptionInfo(event));
      debug({ exception: exceptionInfo(event) });
    },
    /** Shows again what this node raised. */
    showException(wobId: number): void {
      const known = raised.get(wobId);
      if (known) debug({ exception: known });
    },
    dismissException: () => debug({ exception: undefined }),
    setRunning: (wobId: number | null) => debug({ runningNode: wobId ?? undefined }),

    setBreakpoint(wobId: number, line: number): void {
      if (visited?.wobId === wobId && visited.line === line) visited = undefined;
      debug({ breakpoints: addBreakpoint(state.debugging.breakpoints, wobId, line) });
    },
    changeBreakpoint(wobId: number, line: number, extras: BreakpointExtras): void {
      if (visited?.wobId === wobId && visited.line === line) visited = undefined;
      debug({ breakpoints: changeBreakpoint(state.debugging.breakpoints, wobId, line, extras) });
    },
    unsetBreakpoint(wobId: number, line: number): void {
      debug({ breakpoints: removeBreakpoint(state.debugging.breakpoints, wobId, line) });
    },
    unsetAll: () => debug({ breakpoints: {} }),

    /** Those a person has set, not the place a step has come to. */
    ownBreakpoints: (): Breakpoints =>
      visited
        ? removeBreakpoint(state.debugging.breakpoints, visited.wobId, visited.line)
        : state.debugging.breakpoints,
  };
}

function begunNow(): Interrupt {
  return { since: Date.now(), nodes: [] };
}
