import { keepPreviousData, useQuery } from "@tanstack/react-query";

import type { Project } from "@miranda/contract/schemas/projects.ts";
import type { SearchAnswer } from "@miranda/contract/schemas/search/search.ts";

import { call } from "./http.ts";

const fetched = 60;

// Loaded when the palette opens and while the person types, never by itself.
const onRequest = {
  refetchInterval: false,
  refetchOnMount: "always",
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  retry: false,
} as const;

interface Parameters {
  query?: string;
  include_own?: boolean;
}

function fetchLow<Item>(path: string, parameters: Parameters, signal: AbortSignal): Promise<Item[]> {
  const query = Object.entries({ ...parameters, limit: fetched }).map(([name, value]) => [name, String(value)]);
  return call<Item[]>(`${path}?${new URLSearchParams(query)}`, { signal, priority: "low" });
}

/** The newest projects; when there are more, also this account's own and followed ones. */
export function useRecentProjects() {
  return useQuery({
    ...onRequest,
    queryKey: ["search", "recent"],
    queryFn: async ({ signal }): Promise<Project[]> => {
      const newest = await fetchLow<Project>("/api/v3/projects/browse", { include_own: true }, signal);
      if (newest.length < fetched) return newest;
      const near = await Promise.all(
        ["/api/v3/projects/", "/api/v3/projects/following"].map((path) => fetchLow<Project>(path, {}, signal)),
      );
      return [...near.flat(), ...newest];
    },
  });
}

export function useFoundProjects(query: string) {
  return useQuery({
    ...onRequest,
    queryKey: ["search", "projects", query],
    queryFn: ({ signal }) => fetchLow<Project>("/api/v3/projects/browse", { include_own: true, query }, signal),
    enabled: query !== "",
    placeholderData: keepPreviousData,
  });
}

/** Everything but projects, in one call. */
export function useFound(query: string) {
  return useQuery({
    ...onRequest,
    queryKey: ["search", "all", query],
    queryFn: ({ signal }) =>
      call<SearchAnswer>(`/api/v3/search?${new URLSearchParams({ query })}`, { signal, priority: "low" }),
    enabled: query !== "",
    placeholderData: keepPreviousData,
  });
}
