import { useQuery, useQueryClient } from "@tanstack/react-query";

import type { SharedResultList } from "@miranda/contract/schemas/deployments/shares.ts";

import { call } from "../http.ts";

const pathOf = (projectId: string) => `/api/v3/projects/${encodeURIComponent(projectId)}/shares`;
const keyOf = (projectId: string) => ["projects", "shares", projectId];

/** Results of the project's apps that callers have shared. */
export function useSharedResults(projectId: string) {
  return useQuery({
    queryKey: keyOf(projectId),
    queryFn: ({ signal }) => call<SharedResultList>(pathOf(projectId), { signal }),
    refetchOnMount: "always",
    refetchInterval: false,
  });
}

export function useShareCalls(projectId: string) {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: keyOf(projectId) });
  return {
    refresh,
    /** One of them, or all. */
    async end(id?: string): Promise<void> {
      await call(pathOf(projectId) + (id === undefined ? "" : `/${id}`), { method: "DELETE" });
      await refresh();
    },
  };
}
