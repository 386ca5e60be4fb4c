import { sessions } from "./limits.ts";
import type { WorkflowState } from "./processor.ts";

/** The groups of the session list, in the order they are shown. */
export const sessionGroups = ["queued", "running", "errored", "exited"] as const;
export type SessionGroup = (typeof sessionGroups)[number];

export function sessionGroupOf(state: WorkflowState): SessionGroup {
  if (state === "QUEUED") return "queued";
  if (state === "ERROR") return "errored";
  return state === "EXITED" ? "exited" : "running";
}

interface Listed {
  id: string;
  class: string;
  time_created: string;
}

/** Past sessions of a graph, newest first. */
export function recentSessions<Session extends Listed>(
  all: readonly Session[],
  currentId: string | undefined,
): Session[] {
  return all
    .filter((session) => session.class === sessions.class && session.id !== currentId)
    .toSorted((one, other) => Date.parse(other.time_created) - Date.parse(one.time_created));
}
