import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";

import type { ProjectBudgets } from "@miranda/contract/schemas/news/budgets.ts";
import type { Run, RunPage } from "@miranda/contract/schemas/runs.ts";

import { refresh } from "../../limits.ts";
import { call } from "../http.ts";

const budgetsKey = (projectId: string) => ["budgets", projectId];
const path = (projectId: string) => `/api/v3/projects/${encodeURIComponent(projectId)}/budgets`;

export function useBudgets(projectId: string) {
  return useQuery({
    queryKey: budgetsKey(projectId),
    queryFn: ({ signal }) => call<ProjectBudgets>(path(projectId), { signal }),
    refetchOnMount: "always",
    refetchInterval: false,
  });
}

/** An empty text removes a limit. */
export function useSaveBudgets(projectId: string) {
  const client = useQueryClient();
  return async (fields: { run_budget: string; day_budget: string }): Promise<void> => {
    client.setQueryData(budgetsKey(projectId), await call<ProjectBudgets>(path(projectId), { method: "PUT", fields }));
  };
}

/** Lets a run that waits cost so many credits more. */
export async function raiseBudget(runId: string, by: number): Promise<void> {
  await call(`/api/v3/runs/${encodeURIComponent(runId)}/budget`, { method: "POST", fields: { by } });
}

const aliveRunKey = (graphId: string) => ["runs", "alive", graphId];

/** The run of a workflow that has not ended. `putAliveRun` keeps it up to date. */
export function useAliveRun(graphId: string): Run | null {
  const { data } = useQuery({
    queryKey: aliveRunKey(graphId),
    queryFn: async ({ signal }): Promise<Run | null> => {
      const query = new URLSearchParams({ graph_id: graphId, state: "alive", limit: "1" });
      const { runs } = await call<RunPage>(`/api/v3/runs?${query}`, { signal });
      return runs[0] ?? null;
    },
    refetchInterval: refresh.processor,
  });
  return data ?? null;
}

/** Of two updates about a run, the older one is ignored. */
export function putAliveRun(client: QueryClient, run: Run): void {
  client.setQueryData<Run | null>(aliveRunKey(run.graph.id), (known) => {
    if (known?.id === run.id && known.revision > run.revision) return known;
    return run.time_ended === null ? run : known?.id === run.id ? null : known;
  });
}
