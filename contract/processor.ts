import { assertNever } from "./assert-never.ts";
import { messages } from "./words/messages.ts";

// The state machine of a processor session. Pure functions, so that server and client decide alike.

export const workflowStates = [
  "UNINITIALIZED",
  "QUEUED",
  "STARTING",
  "READY",
  "RUNNING",
  "RESUMEREADY",
  "KILLING",
  "RESTARTING",
  "ERROR",
  "EXITED",
] as const;
export type WorkflowState = (typeof workflowStates)[number];

export const commands = [
  "start",
  "stop",
  "restart",
  "compile",
  "continue",
  "git-pull",
  "git-soft-pull",
  "git-push",
  "run-setup",
  "clear",
  "break",
  "info",
  // Beyond the specification.
  "run",
  "plan",
  "pause",
  "interrupt",
  "force-stop",
  "step-over",
  "step-in",
  "step-out",
  "evaluate",
  "cancel-evaluate",
  "unfold",
  "frame",
  "exceptions",
  "sample",
] as const;
export type Command = (typeof commands)[number];

/** Which exceptions of node code stop a run: none, uncaught ones, or all that pass through node code. */
export const exceptionModes = ["off", "uncaught", "all"] as const;
export type ExceptionMode = (typeof exceptionModes)[number];

const transitions: Record<WorkflowState, readonly WorkflowState[]> = {
  UNINITIALIZED: ["QUEUED", "STARTING", "KILLING", "ERROR", "EXITED"],
  // When the engine has no room yet, a launched job waits as QUEUED. It becomes READY when its agent reports.
  QUEUED: ["STARTING", "READY", "KILLING", "ERROR", "EXITED"],
  STARTING: ["QUEUED", "READY", "KILLING", "ERROR", "EXITED"],
  READY: ["RUNNING", "KILLING", "RESTARTING", "ERROR", "EXITED"],
  RUNNING: ["READY", "RESUMEREADY", "KILLING", "RESTARTING", "ERROR", "EXITED"],
  RESUMEREADY: ["READY", "RUNNING", "KILLING", "RESTARTING", "ERROR", "EXITED"],
  KILLING: ["ERROR", "EXITED"],
  RESTARTING: ["STARTING", "READY", "KILLING", "ERROR", "EXITED"],
  ERROR: [],
  EXITED: [],
};

/** Whether a job may go from one state to another. Staying in the same state is no transition. */
export function canTransition(from: WorkflowState, to: WorkflowState): boolean {
  return transitions[from].includes(to);
}

/** The states from which a job may reach this one. An update names them as the states it expects. */
export function statesBefore(to: WorkflowState): WorkflowState[] {
  return workflowStates.filter((from) => canTransition(from, to));
}

/** The states in which a job is over. */
export const endedStates = ["ERROR", "EXITED"] as const satisfies WorkflowState[];

export function isAlive(state: WorkflowState): boolean {
  return !endedStates.some((ended) => ended === state);
}

/** The state that the client shows from sending a command until the server's next update. */
export function optimisticState(command: Command): WorkflowState | undefined {
  switch (command) {
    case "start":
    case "compile":
    case "continue":
    case "clear":
    case "break":
    case "info":
    case "git-soft-pull":
    case "git-pull":
    case "git-push":
    case "run":
    case "step-over":
    case "step-in":
    case "step-out":
      return "RUNNING";
    case "stop":
      return "KILLING";
    case "restart":
      return "RESTARTING";
    case "run-setup":
    case "plan":
    case "pause":
    case "interrupt":
    case "force-stop":
    case "evaluate":
    case "cancel-evaluate":
    case "unfold":
    case "frame":
    case "exceptions":
    case "sample":
      return undefined;
    default:
      return assertNever(command);
  }
}

export interface StateIcon {
  text: string;
  colour: "grey" | "yellow" | "green" | "blue" | "red";
  pulse: boolean;
}

export const stateIcons: Record<WorkflowState, StateIcon> = {
  UNINITIALIZED: { text: "Starting", colour: "grey", pulse: true },
  QUEUED: { text: "Queued", colour: "grey", pulse: true },
  STARTING: { text: "Starting", colour: "yellow", pulse: false },
  READY: { text: "Ready", colour: "green", pulse: false },
  RUNNING: { text: "Running", colour: "blue", pulse: true },
  RESUMEREADY: { text: "Paused", colour: "yellow", pulse: false },
  KILLING: { text: "Stopping", colour: "red", pulse: true },
  RESTARTING: { text: "Restarting", colour: "yellow", pulse: false },
  ERROR: { text: "Exited with errors", colour: "red", pulse: false },
  EXITED: { text: "Ran to completion", colour: "grey", pulse: false },
};

/** Whether a processor may be created: only when there is none, or it has ended. */
export function canCreate(state: WorkflowState | undefined): boolean {
  return state === undefined || !isAlive(state);
}

export type CreationOutcome = "waiting" | "ready" | "failed";

/** What the update of a job means to a client that waits for the processor with this tag. */
export function creationOutcome(tag: number, job: { tag: number; workflow_state: WorkflowState }): CreationOutcome {
  if (job.tag !== tag) return "waiting";
  if (job.workflow_state === "READY") return "ready";
  return isAlive(job.workflow_state) ? "waiting" : "failed";
}

export function canContinue(state: WorkflowState | undefined): boolean {
  return state === "RESUMEREADY";
}

export type StopDecision = { by: "command" } | { by: "cancel" } | { by: "refusal"; message: string };

/** How to stop a processor: by command while its agent listens, otherwise by cancelling its job. */
export function stopDecision(state: WorkflowState | undefined): StopDecision {
  if (state === undefined || !isAlive(state)) return { by: "refusal", message: messages.noProcessorToStop };
  return state === "READY" || state === "RESUMEREADY" ? { by: "command" } : { by: "cancel" };
}

/** The state to show for a job that is being stopped: a list fetched meanwhile may still show it as running. */
export function stateWhileStopping(state: WorkflowState): WorkflowState {
  return isAlive(state) ? "KILLING" : state;
}
