import { assertNever } from "../assert-never.ts";
import type { CallState } from "../schemas/deployments/calls.ts";

/** How a call ended, as the server knows it. */
export interface CallEnd {
  state: CallState;
  /** In the words of the run. Of a failed call it may be the text of an exception. */
  reason: string;
  /** One that has not begun ended for a reason that callers are told. */
  hasBegun: boolean;
  /** Whether somebody wanted it to end. */
  cancelled: boolean;
  /** The step that failed, in the owner's words; null when it has none. */
  failedStep: string | null;
  /** Whether the reader may read the workflow: others learn nothing of its code. */
  mayRead: boolean;
}

/** What the reason of a run begins with when its packages could not be installed. */
export const noPackages = "PackageError:";

/** Why a call ended as it did, for somebody who does not code. Empty when that needs no explanation. */
export function callEndWords({ state, reason, hasBegun, cancelled, failedStep, mayRead }: CallEnd): string {
  switch (state) {
    case "queued":
    case "running":
    case "paused":
    case "done":
      return "";
    case "failed": {
      if (reason.startsWith(noPackages)) {
        const words = "Packages that it needs could not be installed, so it did not begin.";
        return mayRead ? `${words} ${reason.slice(noPackages.length).trim()}` : words;
      }
      const words = failedStep === null ? "A step failed." : `A step failed: ${endless(failedStep)}.`;
      return mayRead && reason !== "" ? `${words} ${reason}` : words;
    }
    case "stopped":
      if (cancelled) return "It was cancelled.";
      return reason === "" || reason === "Interrupted." || reason.startsWith("The session was")
        ? "It was stopped."
        : reason;
    case "crashed": {
      const words = "It ended unexpectedly, perhaps because it needed more memory than it may use.";
      return mayRead && reason !== "" ? `${words} ${reason}` : words;
    }
    case "lost":
      if (!hasBegun && reason !== "") return reason;
      return mayRead && reason !== "" ? `It could not be finished. ${reason}` : "It could not be finished. Try again.";
    default:
      return assertNever(state);
  }
}

function endless(label: string): string {
  return label.trim().replace(/[.!:…]+$/, "");
}
