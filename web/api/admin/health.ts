import { useQuery, useQueryClient } from "@tanstack/react-query";

import type { Backup, Health } from "@miranda/contract/schemas/operations/health.ts";

import { call } from "../http.ts";

const key = ["admin", "health"];

/** Refreshed often while a backup runs, so that its progress is seen. */
export function useHealth() {
  return useQuery({
    queryKey: key,
    queryFn: ({ signal }) => call<Health>("/api/v3/admin/health", { signal }),
    refetchInterval: ({ state }) => (isBackingUp(state.data) ? 1_000 : 15_000),
  });
}

export function isBackingUp(health: Health | undefined): boolean {
  return health?.backup.recent.some(({ state }) => state === "RUNNING") ?? false;
}

export function useMakeBackup() {
  const client = useQueryClient();
  return async (): Promise<void> => {
    await call<Backup>("/api/v3/admin/backups", { method: "POST" });
    await client.invalidateQueries({ queryKey: key });
  };
}
