import type { BreakpointLines } from "./command-args.ts";
import type { WorkflowState } from "./processor.ts";
import type { BreakEvent, Breakpoint, ExceptionEvent, ExceptionInfo } from "./schemas/processors.ts";

/** Breakpoints by node id, then by line number. */
export type Breakpoints = Readonly<Record<string, Readonly<Record<string, Breakpoint>>>>;

export interface Debugging {
  breakpoints: Breakpoints;
  exception: ExceptionInfo | undefined;
  runningNode: number | undefined;
}

export const noDebugging: Debugging = { breakpoints: {}, exception: undefined, runningNode: undefined };

export function addBreakpoint(breakpoints: Breakpoints, wobId: number, line: number): Breakpoints {
  const lines = breakpoints[wobId];
  if (lines?.[line]) return breakpoints;
  return { ...breakpoints, [wobId]: { ...lines, [line]: { line, wobId, triggered: false } } };
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
  const hit = { line: event.line_number, wobId: event.wob_key, triggered: true, locals: event.locals };
  return { ...calm, [hit.wobId]: { ...calm[hit.wobId], [hit.line]: hit } };
}

export function triggeredBreakpoint(breakpoints: Breakpoints): Breakpoint | undefined {
  for (const lines of Object.values(breakpoints))
    for (const breakpoint of Object.values(lines)) if (breakpoint.triggered) return breakpoint;
  return undefined;
}

export function clearTriggered(breakpoints: Breakpoints): Breakpoints {
  const hit = triggeredBreakpoint(breakpoints);
  if (!hit) return breakpoints;
  const { line, wobId } = hit;
  return clearTriggered({
    ...breakpoints,
    [wobId]: { ...breakpoints[wobId], [line]: { line, wobId, triggered: false } },
  });
}

/** The lines to send with start, by node id. */
export function breakpointLines(breakpoints: Breakpoints): BreakpointLines {
  return Object.fromEntries(
    Object.entries(breakpoints).map(([wobId, lines]) => [wobId, Object.keys(lines).map(Number)]),
  );
}

export function exceptionInfo(event: Omit<ExceptionEvent, "job_id">): ExceptionInfo {
  return {
    wobId: event.wob_key,
    line: event.line_number,
    function: event.funcname,
    traceback: event.traceback,
  };
}

/** What is left of a break, an exception and the running node's mark after the processor has told its state. */
export function afterUpdate(debugging: Debugging, before: WorkflowState | undefined, now: WorkflowState): Debugging {
  const endsBreak = now === "EXITED" || now === "READY";
  const endsException = now === "EXITED" || now === "RUNNING";
  return {
    breakpoints: endsBreak ? clearTriggered(debugging.breakpoints) : debugging.breakpoints,
    exception: endsException ? undefined : debugging.exception,
    runningNode: before === now ? debugging.runningNode : undefined,
  };
}
