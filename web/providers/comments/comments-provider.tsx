import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { useSearchParams } from "react-router";

import type { CommentMarks } from "@miranda/contract/schemas/comments/comments.ts";

import { refetchComments, useCommentMarks } from "../../api/comments/comments.ts";
import { useRealtime } from "../realtime-provider.tsx";
import { type CommentsState, type CommentsStore, createCommentsStore } from "./comments-store.ts";

export interface Comments {
  graphId: string;
  store: CommentsStore;
  /** Whether this person may write. Unknown counts as no. */
  mayComment: boolean;
  /** All open threads, and those of each node. */
  open: number;
  openAt: ReadonlyMap<number, number>;
}

const CommentsContext = createContext<Comments | undefined>(undefined);
const none: CommentMarks = { open: 0, may_comment: false, nodes: [] };

interface CommentsProviderProps {
  graphId: string;
  /** On the page of a run: its id. */
  run?: string;
  children: ReactNode;
}

/** The comments of a workflow: kept up to date by events, opened by the address. */
export function CommentsProvider({ graphId, run, children }: CommentsProviderProps) {
  const [store] = useState(() => createCommentsStore(run ?? null));
  const { data = none } = useCommentMarks(graphId);
  const client = useQueryClient();
  const realtime = useRealtime();
  useEffect(() => {
    const deleted = new Set<number>();
    const stops = [
      realtime.on("update[COMMENTS]", (event) => {
        if (event.graph_id === graphId) refetchComments(client, graphId, event.thread_id);
      }),
      // Threads of a deleted node say so, until undo brings it back.
      realtime.on("update[GRAPH]", (change) => {
        const restored = (change.nodes ?? []).filter(({ metadata_id }) => deleted.has(metadata_id));
        for (const { metadata_id } of restored) deleted.delete(metadata_id);
        for (const id of change.deleted_nodes ?? []) deleted.add(id);
        if (change.deleted_nodes || change.reload || restored.length > 0) refetchComments(client, graphId);
      }),
      // Events may have been missed.
      realtime.on("ready", () => refetchComments(client, graphId)),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [realtime, client, graphId]);
  const value = useMemo(
    () => ({
      ...{ graphId, store, mayComment: data.may_comment, open: data.open },
      openAt: new Map(data.nodes.map(({ metadata_id, open }) => [metadata_id, open])),
    }),
    [graphId, store, data],
  );
  return (
    <CommentsContext value={value}>
      <AddressedThread store={store} />
      {children}
    </CommentsContext>
  );
}

/** Opens the thread that the address names, only once: afterwards the person may close it. */
function AddressedThread({ store }: { store: CommentsStore }) {
  const [params, setParams] = useSearchParams();
  const id = params.get("thread");
  useEffect(() => {
    if (id === null) return;
    store.openThread(id);
    setParams(
      (now) => {
        now.delete("thread");
        return now;
      },
      { replace: true },
    );
  }, [id, store, setParams]);
  return null;
}

/** Undefined where there are no comments, for example in an old version. */
export function useComments(): Comments | undefined {
  return useContext(CommentsContext);
}

export function useCommentsView<Part>({ store }: Comments, select: (state: CommentsState) => Part): Part {
  return useSyncExternalStore(store.watch, () => select(store.get()));
}
