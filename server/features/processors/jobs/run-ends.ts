import { isAlive, type WorkflowState } from "@miranda/contract/processor.ts";
import type { RunnerEvent } from "@miranda/contract/protocol/agent.ts";

import type { RunEnd } from "../../runs/run-records-service.ts";

type Done = Extract<RunnerEvent, { kind: "done"; command: "run" }>;
type State = Extract<RunnerEvent, { kind: "state" }>;

const restarted = "The session was restarted.";
const died = "The worker died.";
const ended = "The session ended.";
const stopped = "The session was stopped.";

/** How a run ended whose worker reported it. */
export function endOfCommand({ error, interrupted, good, failed, packages }: Done): RunEnd {
  if (interrupted) return { state: "stopped", reason: "Interrupted.", packages };
  if (error) return { state: "failed", reason: error, packages };
  return { state: good === false || failed.length > 0 ? "failed" : "done", reason: "", packages };
}

/**
 * How a run ended that was alive when its session came to this state. Undefined when it goes on. `before` is the state that
 * somebody's command had led to.
 */
export function endOfSession(before: WorkflowState, { state, death }: State, reason: string): RunEnd | undefined {
  if (state === "READY") return { state: "stopped", reason: restarted, packages: {} };
  if (isAlive(state)) return undefined;
  if (death) return { state: "crashed", reason: reason || died, packages: {} };
  return endOfStopped(before === "KILLING" && reason === "" ? null : reason || ended);
}

/** A session that a person stops has no reason. Whatever else ends it has one. */
export function endOfStopped(reason: string | null): RunEnd {
  return reason === null
    ? { state: "stopped", reason: stopped, packages: {} }
    : { state: "lost", reason, packages: {} };
}
