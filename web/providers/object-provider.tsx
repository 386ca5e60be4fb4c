import { useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";

import type { Member } from "@miranda/contract/schemas/members.ts";

import { usernameOf } from "../api/account/session.ts";
import { loadFirstGraph } from "../api/prefetch-graph.ts";
import { refreshGraph } from "../api/graph.ts";
import { undoNotice } from "../limits.ts";
import { preloadToasts, toast } from "../ui/overlay/toast.ts";
import { createGraphSession, type GraphSession } from "./graph/graph-session.ts";
import type { GraphView } from "./graph/graph-store.ts";
import { openGraph } from "./graph/open-graph.ts";
import { useLeaveWarning } from "./graph/use-leave-warning.ts";
import { useRealtime } from "./realtime-provider.tsx";

export interface OpenGraph {
  session: GraphSession;
  members: readonly Member[];
  /** Why there is nothing to show. */
  error: Error | null;
  retry: () => void;
  /** The server's words when the workflow went away while it was open. */
  evicted: string | null;
}

const ObjectContext = createContext<OpenGraph | undefined>(undefined);
const nobody: readonly Member[] = [];
/** Not while the screen itself loads. */
const toastsAfter = 2_000;

/** Holds the objects of the open graph: loaded once, then kept up to date by events. */
export function ObjectProvider({ graphId, children }: { graphId: string; children: ReactNode }) {
  const client = useQueryClient();
  const realtime = useRealtime();
  const [members, setMembers] = useState(nobody);
  const [error, setError] = useState<Error | null>(null);
  const [evicted, setEvicted] = useState<string | null>(null);
  const retry = useRef<() => void>(() => undefined);

  const { session, load } = useMemo(() => {
    // Through the query client, so that a session that has ended is noticed here as everywhere.
    const load = (first: boolean) =>
      client.fetchQuery({
        queryKey: ["graph", graphId, first],
        queryFn: () => (first ? loadFirstGraph(graphId) : refreshGraph(graphId)),
        gcTime: 0,
        staleTime: 0,
        structuralSharing: false,
        retry: false,
      });
    const session = createGraphSession({
      graphId,
      realtime,
      load,
      me: () => usernameOf(client),
      notify: (text) => toast.error(text),
      tell: (text, choice) =>
        toast.warning(text, {
          duration: undoNotice.shownFor,
          ...(choice && { action: { label: choice.label, onClick: choice.act } }),
        }),
    });
    return { session, load };
  }, [client, realtime, graphId]);

  useEffect(() => {
    const opened = openGraph({
      session,
      realtime,
      load: () => load(true),
      onMembers: setMembers,
      onError: setError,
      onEvicted: setEvicted,
    });
    retry.current = opened.retry;
    return opened.close;
  }, [session, realtime, load]);

  useLeaveWarning(session);
  useEffect(() => {
    const timer = setTimeout(preloadToasts, toastsAfter);
    return () => clearTimeout(timer);
  }, []);

  const value = useMemo(
    () => ({ session, members, error, evicted, retry: () => retry.current() }),
    [session, members, error, evicted],
  );
  return <ObjectContext value={value}>{children}</ObjectContext>;
}

export function useOpenGraph(): OpenGraph {
  const open = useContext(ObjectContext);
  if (!open) throw new Error("This needs an ObjectProvider around it.");
  return open;
}

export function useSession(): GraphSession {
  return useOpenGraph().session;
}

/** Part of the open graph; draws again only when that part is another. */
export function useGraph<Part>(select: (view: GraphView) => Part): Part {
  const { store } = useSession();
  return useSyncExternalStore(store.watch, () => select(store.view()));
}
