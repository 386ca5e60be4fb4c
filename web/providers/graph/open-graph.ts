import type { GraphResponse } from "@miranda/contract/schemas/nodes.ts";
import type { Member } from "@miranda/contract/schemas/members.ts";

import type { Realtime } from "../../api/socket.ts";
import { attend } from "../presence.ts";
import type { GraphSession } from "./graph-session.ts";

interface Opening {
  session: GraphSession;
  realtime: Realtime;
  load: () => Promise<GraphResponse>;
  onMembers: (members: readonly Member[]) => void;
  onError: (error: Error | null) => void;
  onEvicted: (message: string) => void;
}

/** Entering first means that no change is missed; without the socket the graph opens all the same. */
const enteringPatience = 3_000;

/** Enters the graph, loads it, and keeps it true until it is closed. */
export function openGraph({ session, realtime, load, onMembers, onError, onEvicted }: Opening) {
  const { graphId, store } = session;
  let isClosed = false;
  let isLoading = false;

  async function loadFirst(): Promise<void> {
    if (isLoading || isClosed) return;
    isLoading = true;
    onError(null);
    try {
      const response = await load();
      if (isClosed) return;
      store.load(response);
      session.catchUp();
    } catch (cause) {
      if (!isClosed) onError(cause instanceof Error ? cause : new Error(String(cause)));
    } finally {
      isLoading = false;
    }
  }

  const stopSession = session.start();
  const late = setTimeout(() => void loadFirst(), enteringPatience);
  const stopAttending = attend({
    graphId,
    realtime,
    onMembers,
    onEntered: () => {
      clearTimeout(late);
      if (!store.view().loaded && !isLoading) void loadFirst();
      // After a break, or when the graph was fetched before we could hear its changes.
      else void session.reload();
    },
  });
  const stopEviction = realtime.on("evicted", (event) => {
    if (event.graph_id === graphId) onEvicted(event.message);
  });

  return {
    retry: () => void loadFirst(),
    close(): void {
      isClosed = true;
      clearTimeout(late);
      stopEviction();
      stopAttending();
      stopSession();
    },
  };
}
