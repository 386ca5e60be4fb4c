import { assertNever } from "@miranda/contract/assert-never.ts";
import type { WorkflowState } from "@miranda/contract/processor.ts";

export type PanelAction = "Start" | "Restart" | "Run Node Setup" | "Force Stop";

export interface Panel {
  label: string;
  actions: readonly PanelAction[];
}

/**
 * The text and the buttons of the processor panel. Waiting on a tag wins: the replaced processor may still be known.
 */
export function processorPanel(state: WorkflowState | undefined, waitingOnTag = false): Panel {
  if (waitingOnTag) return { label: "Queued", actions: [] };
  if (state === undefined) return { label: "Not Connected", actions: ["Start"] };
  switch (state) {
    case "QUEUED":
      return { label: "Queued", actions: [] };
    case "UNINITIALIZED":
    case "STARTING":
      return { label: "Starting", actions: [] };
    case "READY":
      return { label: "Ready", actions: ["Run Node Setup", "Force Stop"] };
    case "RUNNING":
      return { label: "Running", actions: ["Force Stop"] };
    case "RESUMEREADY":
      return { label: "Paused", actions: ["Force Stop"] };
    case "KILLING":
      return { label: "Stopping", actions: [] };
    case "RESTARTING":
      return { label: "Restarting", actions: [] };
    case "ERROR":
      return { label: "Error", actions: ["Restart"] };
    case "EXITED":
      return { label: "Exited", actions: ["Start"] };
    default:
      return assertNever(state);
  }
}
