import type { GraphResponse } from "@miranda/contract/schemas/nodes.ts";
import type { Member } from "@miranda/contract/schemas/members.ts";
import type { EnteredGraph } from "@miranda/contract/schemas/realtime.ts";

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

/**
 * Enters the graph and loads it at the same time, and keeps it current until it is closed. The answer to entering has the
 * graph's revision: if the loaded graph is older, changes were missed, and it is loaded again.
 */
export function openGraph({ session, realtime, load, onMembers, onError, onEvicted }: Opening) {
  const { graphId, store } = session;
  let isClosed = false;
  let isLoading = false;
  let entered: EnteredGraph | undefined;

  async function loadFirst(): Promise<void> {
    if (isLoading || isClosed) return;
    isLoading = true;
    onError(null);
    try {
      const response = await load();
      if (isClosed) return;
      store.load(response);
      session.catchUp();
      if (entered && isOlder(response, entered)) void session.reload();
    } catch (cause) {
      if (!isClosed) onError(cause instanceof Error ? cause : new Error(String(cause)));
    } finally {
      isLoading = false;
    }
  }

  const stopSession = session.start();
  const stopAttending = attend({
    graphId,
    realtime,
    onMembers,
    onEntered: (now) => {
      const isFirst = entered === undefined;
      entered = now;
      if (isLoading) return;
      if (!store.view().loaded) void loadFirst();
      // After a reconnect, more may have been missed than the revision shows.
      else if (!isFirst || !now || isOlder({ revision: store.revision(), nodes: store.base().nodes }, now))
        void session.reload();
    },
    // It was deleted after it was loaded. What cannot be loaded is said by the load.
    onMissing: (message) => {
      if (store.view().loaded) onEvicted(message);
    },
  });
  void loadFirst();
  const stopEviction = realtime.on("evicted", (event) => {
    if (event.graph_id === graphId) onEvicted(event.message);
  });

  return {
    retry: () => void loadFirst(),
    close(): void {
      isClosed = true;
      stopEviction();
      stopAttending();
      stopSession();
    },
  };
}

function isOlder({ revision, nodes }: Pick<GraphResponse, "revision" | "nodes">, entered: EnteredGraph): boolean {
  if (revision < entered.revision) return true;
  const { last_used } = entered;
  return (
    last_used !== null && Object.values(nodes).every((node) => node.last_used === null || node.last_used < last_used)
  );
}
