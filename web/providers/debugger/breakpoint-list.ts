import type { BreakpointLine, BreakpointLines } from "@miranda/contract/command-args.ts";
import type { WorkflowState } from "@miranda/contract/processor.ts";
import type { BreakEvent, Breakpoint, ExceptionEvent, ExceptionInfo } from "@miranda/contract/schemas/processors.ts";

/** Breakpoints by node id, then by line number. */
export type Breakpoints = Readonly<Record<string, Readonly<Record<string, Breakpoint>>>>;

/** What a breakpoint may carry besides its line. */
export type BreakpointExtras = Pick<Breakpoint, "condition" | "log">;

export interface Debugging {
  breakpoints: Breakpoints;
  /** Where the processor is paused, from its last `break` event. */
  stop: Omit<BreakEvent, "job_id"> | undefined;
  exception: ExceptionInfo | undefined;
  runningNode: number | undefined;
}

export const noDebugging: Debugging = {
  breakpoints: {},
  stop: undefined,
  exception: undefined,
  runningNode: undefined,
};

export function addBreakpoint(breakpoints: Breakpoints, wobId: number, line: number): Breakpoints {
  const lines = breakpoints[wobId];
  if (lines?.[line]) return breakpoints;
  return { ...breakpoints, [wobId]: { ...lines, [line]: { line, wobId, triggered: false } } };
}

/** Gives a breakpoint its condition and log message, or takes them away; it is set if it was not. */
export function changeBreakpoint(
  breakpoints: Breakpoints,
  wobId: number,
  line: number,
  { condition, log }: BreakpointExtras,
): Breakpoints {
  const { locals, triggered = false } = breakpoints[wobId]?.[line] ?? {};
  const changed: Breakpoint = {
    line,
    wobId,
    triggered,
    ...(locals && { locals }),
    ...(condition && { condition }),
    ...(log && { log }),
  };
  return { ...breakpoints, [wobId]: { ...breakpoints[wobId], [line]: changed } };
}

export function removeBreakpoint(breakpoints: Breakpoints, wobId: number, line: number): Breakpoints {
  const { [line]: removed, ...lines } = breakpoints[wobId] ?? {};
  if (!removed) return breakpoints;
  const { [wobId]: _node, ...others } = breakpoints;
  return Object.keys(lines).length === 0 ? others : { ...others, [wobId]: lines };
}

/** A break marks its breakpoint, and only that one, even when nobody here had set it. */
export function hitBreakpoint(breakpoints: Breakpoints, event: Omit<BreakEvent, "job_id">): Breakpoints {
  const calm = clearTriggered(breakpoints);
  const { line_number: line, wob_key: wobId, locals } = event;
  const hit = { ...calm[wobId]?.[line], line, wobId, triggered: true, locals };
  return { ...calm, [wobId]: { ...calm[wobId], [line]: hit } };
}

export function triggeredBreakpoint(breakpoints: Breakpoints): Breakpoint | undefined {
  for (const lines of Object.values(breakpoints))
    for (const breakpoint of Object.values(lines)) if (breakpoint.triggered) return breakpoint;
  return undefined;
}

export function clearTriggered(breakpoints: Breakpoints): Breakpoints {
  const hit = triggeredBreakpoint(breakpoints);
  if (!hit) return breakpoints;
  const { locals: _locals, ...kept } = hit;
  const { line, wobId } = hit;
  return clearTriggered({
    ...breakpoints,
    [wobId]: { ...breakpoints[wobId], [line]: { ...kept, triggered: false } },
  });
}

/** The lines to send with start, by node id. */
export function breakpointLines(breakpoints: Breakpoints): BreakpointLines {
  return Object.fromEntries(
    Object.entries(breakpoints).map(([wobId, lines]) => [wobId, Object.values(lines).map(toLine)]),
  );
}

function toLine({ line, condition, log }: Breakpoint): BreakpointLine {
  return condition || log ? { line, ...(condition && { condition }), ...(log && { log }) } : line;
}

export function exceptionInfo(event: Omit<ExceptionEvent, "job_id">): ExceptionInfo {
  return {
    wobId: event.wob_key,
    line: event.line_number,
    function: event.funcname,
    traceback: event.traceback,
  };
}

/** What is left of a break, an exception and the running node's mark after the processor's state changed. */
export function afterUpdate(debugging: Debugging, before: WorkflowState | undefined, now: WorkflowState): Debugging {
  const endsBreak = now === "EXITED" || now === "READY";
  const endsException = now === "EXITED" || now === "RUNNING";
  return {
    breakpoints: endsBreak ? clearTriggered(debugging.breakpoints) : debugging.breakpoints,
    stop: now === "RESUMEREADY" ? debugging.stop : undefined,
    exception: endsException ? undefined : debugging.exception,
    runningNode: before === now ? debugging.runningNode : undefined,
  };
}
