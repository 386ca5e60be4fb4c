import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";

import type {
  AddPackageResponse,
  CheckResponse,
  Commit,
  CommitPage,
  CommitResponse,
  Draft,
  DraftComparison,
  FormatResponse,
} from "@miranda/contract/schemas/code.ts";

import { call } from "./http.ts";

const object = (metadataId: number) => `/api/v3/objects/${metadataId}`;

export const codeKeys = {
  commits: (metadataId: number) => ["commits", metadataId],
} as const;

/** Newest first. Events update it, so it is not polled. */
export const commitsQuery = (metadataId: number) =>
  infiniteQueryOptions({
    queryKey: codeKeys.commits(metadataId),
    queryFn: ({ pageParam: query, signal }) => call<CommitPage>(`${object(metadataId)}/commits${query}`, { signal }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => (next === null ? null : `?before=${next}`),
    refetchInterval: false as const,
  });

/** A commit never changes. */
export const commitQuery = (metadataId: number, commitId: string) =>
  queryOptions({
    queryKey: [...codeKeys.commits(metadataId), commitId],
    queryFn: ({ signal }) => call<Commit>(`${object(metadataId)}/commits/${commitId}`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false as const,
  });

export function readDrafts(graphId: string): Promise<Draft[]> {
  return call(`/api/v3/graphs/${graphId}/drafts`);
}

/** Unsaved code beside the stored code. With other stored code it is another comparison. */
export const draftComparisonQuery = (metadataId: number, stored: string) =>
  queryOptions({
    queryKey: ["draft", metadataId, stored],
    queryFn: ({ signal }) => call<DraftComparison>(`${object(metadataId)}/draft`, { signal }),
    staleTime: 0,
    gcTime: 0,
    refetchInterval: false as const,
    refetchOnWindowFocus: false,
  });

/** Goes on with the draft, in spite of the stored code that the person saw. */
export async function keepDraft(metadataId: number, source_code: string): Promise<void> {
  await call(`${object(metadataId)}/draft/kept`, { method: "POST", fields: { source_code } });
}

export function commitCode(metadataId: number, message: string, source_code: string): Promise<CommitResponse> {
  return call(`${object(metadataId)}/commits`, { method: "POST", fields: { message, source_code } });
}

export function restoreCommit(metadataId: number, commitId: string): Promise<CommitResponse> {
  return call(`${object(metadataId)}/commits/${commitId}/restore`, { method: "POST" });
}

export function addPackage(metadataId: number, name: string): Promise<AddPackageResponse> {
  return call(`${object(metadataId)}/packages`, { method: "POST", fields: { name } });
}

export function checkCode(metadataId: number, source_code: string, signal: AbortSignal): Promise<CheckResponse> {
  return call(`${object(metadataId)}/check`, { method: "POST", fields: { source_code }, signal });
}

export function formatCode(metadataId: number, source_code: string, indent: number): Promise<FormatResponse> {
  return call(`${object(metadataId)}/format`, { method: "POST", fields: { source_code, indent: String(indent) } });
}

/** Sends a change that is too large for the socket. */
export async function sendLargeUpdate(metadataId: number, epoch: string, update: Uint8Array): Promise<void> {
  let binary = "";
  // In chunks: a function call with a million arguments overflows the stack.
  for (let start = 0; start < update.length; start += 0x8000)
    binary += String.fromCharCode(...update.subarray(start, start + 0x8000));
  await call(`${object(metadataId)}/draft`, { method: "POST", fields: { epoch, update: btoa(binary) } });
}
