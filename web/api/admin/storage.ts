import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";

import type { AdminStorage, Freeable, FreeableKind, Freed } from "@miranda/contract/schemas/admin/storage.ts";

import { call } from "../http.ts";

const path = "/api/v3/admin/storage";
const key = (...more: (string | number)[]) => ["admin", "storage", ...more];

/** What projects store, the largest first. Not refreshed by itself: the sums take a while. */
export function useStorage(words: string) {
  return useInfiniteQuery({
    queryKey: key("list", words),
    queryFn: ({ signal, pageParam }) =>
      call<AdminStorage>(`${path}?${new URLSearchParams({ query: words, page: String(pageParam) })}`, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: false,
    refetchOnMount: "always",
  });
}

export function useFreeable(projectId: string, days: number) {
  return useQuery({
    queryKey: key("one", projectId, days),
    queryFn: ({ signal }) => call<Freeable>(`${path}/${projectId}?days=${days}`, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: false,
    refetchOnMount: "always",
  });
}

export function useFree(projectId: string) {
  const client = useQueryClient();
  return async (kind: FreeableKind, days: number): Promise<Freed> => {
    const freed = await call<Freed>(`${path}/${projectId}/free`, {
      method: "POST",
      fields: { kind, days: String(days) },
    });
    await client.invalidateQueries({ queryKey: key() });
    return freed;
  };
}
