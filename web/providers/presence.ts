import { socket as limits } from "@miranda/contract/limits.ts";
import { arrangeMembers, withMember, withoutMember } from "@miranda/contract/members.ts";
import type { Member } from "@miranda/contract/schemas/members.ts";
import type { EnteredGraph } from "@miranda/contract/schemas/realtime.ts";

import type { Realtime } from "../api/socket.ts";
import { logWarning } from "../log.ts";

interface Presence {
  graphId: string;
  realtime: Realtime;
  onMembers: (members: readonly Member[]) => void;
  /** The server has let us in, for the first time or again after a break. */
  onEntered: (entered: EnteredGraph | undefined) => void;
  /** The workflow is gone, or is no longer ours to read. */
  onMissing: (message: string) => void;
}

const nobody: readonly Member[] = [];

/** Keeps a person present in a graph: enters, renews the presence, enters again after a reconnect, and leaves at the end. */
export function attend({ graphId, realtime, onMembers, onEntered, onMissing }: Presence): () => void {
  let members = nobody;
  let renewal: ReturnType<typeof setInterval> | undefined;

  function set(next: readonly Member[]): void {
    members = next;
    onMembers(members);
  }

  function enter(): void {
    clearInterval(renewal);
    realtime.send("enter_project", graphId, (...[refusal, answer]) => {
      if (refusal === null) return onEntered(answer);
      logWarning("The server did not let us into the graph.", refusal);
      if (answer === "graph_not_found") onMissing(refusal);
    });
    renewal = setInterval(() => realtime.send("renew_project_presence", graphId), limits.presenceRenewal);
  }

  const stops = [
    realtime.on("ready", enter),
    realtime.on("project_members", (event) => set(arrangeMembers(event.members))),
    realtime.on("entered_project", ({ user }) => set(withMember(members, user))),
    realtime.on("left_project", ({ user }) => set(withoutMember(members, user))),
    realtime.watch(() => {
      // The list of people is unknown while disconnected; the server sends it after the reconnect.
      if (!realtime.isConnected()) clearInterval(renewal);
    }),
  ];
  if (realtime.isConnected()) enter();

  return () => {
    for (const stop of stops) stop();
    clearInterval(renewal);
    realtime.send("leave_project", graphId);
    set(nobody);
  };
}
