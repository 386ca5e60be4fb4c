import { type QueryClient, queryOptions, useInfiniteQuery, useQuery } from "@tanstack/react-query";

import type {
  CommentMarks,
  CommentPage,
  CommentThread,
  CommentThreadPage,
  MentionList,
  SentComment,
} from "@miranda/contract/schemas/comments/comments.ts";
import type { CodeLines, NodeChanges } from "@miranda/contract/schemas/comments/last-changes.ts";

import { graphAddress } from "../graphs.ts";
import { call } from "../http.ts";

/** What a new thread is about. */
export type NewCommentTarget =
  | { kind: "node"; metadata_id: number; name: string }
  | {
      kind: "line";
      metadata_id: number;
      name: string;
      line: number;
      line_text: string;
      anchor?: string | undefined;
      epoch?: string | undefined;
    }
  | { kind: "run"; run_id: string; number: number };

export interface ThreadFilter {
  state: "open" | "resolved";
  of: "all" | "mine" | "mentions";
  node: number | null;
  run: string | null;
}

const keys = {
  all: (graphId: string) => ["comments", graphId] as const,
  thread: (id: string) => ["comment-thread", id] as const,
};
const marksPageMax = 100;

/** Events say when something changed; then everything that is on the screen is fetched again. */
export function refetchComments(client: QueryClient, graphId: string, threadId?: string): void {
  void client.invalidateQueries({ queryKey: keys.all(graphId) });
  void client.invalidateQueries({ queryKey: threadId === undefined ? ["comment-thread"] : keys.thread(threadId) });
}

export function useCommentMarks(graphId: string) {
  return useQuery({
    queryKey: [...keys.all(graphId), "marks"],
    queryFn: ({ signal }) => call<CommentMarks>(`/api/v3/graphs/${graphId}/comments/marks`, { signal }),
    refetchInterval: false,
  });
}

export function useThreads(graphId: string, { state, of, node, run }: ThreadFilter) {
  const parameters = new URLSearchParams({
    ...{ state, of },
    ...(node !== null && { node: String(node) }),
    ...(run !== null && { run }),
  });
  return useInfiniteQuery({
    queryKey: [...keys.all(graphId), "list", parameters.toString()],
    queryFn: ({ pageParam: after, signal }) => {
      const query = `${parameters.toString()}${after === "" ? "" : `&after=${after}`}`;
      return call<CommentThreadPage>(`/api/v3/graphs/${graphId}/comments?${query}`, { signal });
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    refetchInterval: false,
  });
}

/** The open threads at lines of one node. */
export function useLineThreads(graphId: string, node: number, enabled: boolean) {
  return useQuery({
    queryKey: [...keys.all(graphId), "lines", node],
    queryFn: async ({ signal }) => {
      const path = `/api/v3/graphs/${graphId}/comments?node=${node}&limit=${marksPageMax}`;
      const { threads } = await call<CommentThreadPage>(path, { signal });
      return threads.filter(({ target }) => target.kind === "line");
    },
    enabled,
    refetchInterval: false,
  });
}

export function useThread(id: string, enabled = true) {
  return useQuery({
    queryKey: [...keys.thread(id), "head"],
    queryFn: ({ signal }) => call<CommentThread>(`/api/v3/comment-threads/${id}`, { signal }),
    enabled,
    refetchInterval: false,
  });
}

/** Oldest first. */
export function useThreadComments(id: string) {
  return useInfiniteQuery({
    queryKey: [...keys.thread(id), "comments"],
    queryFn: ({ pageParam: after, signal }) =>
      call<CommentPage>(`/api/v3/comment-threads/${id}/comments?limit=100${after === "" ? "" : `&after=${after}`}`, {
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    refetchInterval: false,
  });
}

/** People whose name begins like this. Undefined: nobody is being mentioned. */
export function useMentioned(graphId: string, query: string | undefined) {
  return useQuery({
    queryKey: ["comment-people", graphId, query ?? ""],
    queryFn: ({ signal }) =>
      call<MentionList>(`/api/v3/graphs/${graphId}/comments/people?query=${encodeURIComponent(query ?? "")}`, {
        signal,
      }),
    enabled: query !== undefined,
    staleTime: 30_000,
    refetchInterval: false,
  });
}

export function sendThread(graphId: string, target: NewCommentTarget, text: { body: string; key: string }) {
  const { kind: _kind, ...where } = target;
  const fields = "run_id" in where ? { run_id: where.run_id } : { ...where, name: undefined };
  return call<SentComment>(`/api/v3/graphs/${graphId}/comments`, { method: "POST", fields: { ...fields, ...text } });
}

export const sendReply = (threadId: string, text: { body: string; key: string }) =>
  call<SentComment>(`/api/v3/comment-threads/${threadId}/comments`, { method: "POST", fields: text });

export const editComment = (id: string, body: string) =>
  call<SentComment>(`/api/v3/comments/${id}`, { method: "PATCH", fields: { body } });

export const deleteComment = (id: string) => call<object>(`/api/v3/comments/${id}`, { method: "DELETE" });

export const resolveThread = (id: string, resolved: boolean) =>
  call<CommentThread>(`/api/v3/comment-threads/${id}/resolved`, { method: "PUT", fields: { resolved } });

/** Where a thread is shown: beside its node, its line or its run. */
export function threadAddress({ id, project_id, graph_id, target }: CommentThread): string {
  const graph = graphAddress(project_id, graph_id);
  if (target.kind === "run" && target.run_id !== null) return `/designer/runs/${target.run_id}?thread=${id}`;
  if (target.metadata_id === null || target.node_deleted) return `${graph}?thread=${id}`;
  return target.kind === "line"
    ? `${graph}/code/${target.metadata_id}?thread=${id}`
    : `${graph}?node=${target.metadata_id}&thread=${id}`;
}

/** Who changed a node last. Asked when somebody points at it. */
export function useLastChange(node: number) {
  return useQuery({
    queryKey: ["last-change", node],
    queryFn: ({ signal }) => call<NodeChanges>(`/api/v3/objects/${node}/last-change`, { signal }),
    staleTime: 5_000,
    refetchInterval: false,
  });
}

/** Who wrote each line of a node's code. `code`: asked again when it changes. */
export function codeLinesQuery(node: number, code: string) {
  return queryOptions({
    queryKey: ["code-lines", node, code.length, hashOf(code)],
    queryFn: ({ signal }) => call<CodeLines>(`/api/v3/objects/${node}/lines`, { signal }),
    staleTime: 60_000,
    refetchInterval: false,
  });
}

function hashOf(text: string): number {
  let value = 0;
  for (let at = 0; at < text.length; at++) value = (Math.imul(value, 31) + text.charCodeAt(at)) | 0;
  return value;
}
