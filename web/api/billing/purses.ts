import { useQuery, useQueryClient } from "@tanstack/react-query";

import type { PayerOfWorkflow, Purse } from "@miranda/contract/schemas/billing/purses.ts";

import { refresh } from "../../limits.ts";
import { type Given, sendGrant } from "../admin/grants.ts";
import { call } from "../http.ts";

const keyOf = (projectId: string) => ["purse", projectId];
const pathOf = (projectId: string, path = "") => `/api/v3/projects/${encodeURIComponent(projectId)}/purse${path}`;

export function usePurse(projectId: string | undefined) {
  return useQuery({
    queryKey: keyOf(projectId ?? ""),
    queryFn: ({ signal }) => call<Purse>(pathOf(projectId ?? ""), { signal }),
    enabled: projectId !== undefined,
    refetchInterval: refresh.jobsList,
    refetchOnMount: "always",
  });
}

/** Who pays for a workflow. */
export function usePurseOfGraph(graphId: string) {
  return useQuery({
    queryKey: ["purse", "graph", graphId],
    queryFn: ({ signal }) => call<PayerOfWorkflow>(`/api/v3/graphs/${encodeURIComponent(graphId)}/purse`, { signal }),
    refetchInterval: false,
    refetchOnMount: "always",
  });
}

export function usePurseActions(projectId: string) {
  const client = useQueryClient();
  const keep = async (purse: Promise<Purse>): Promise<void> => {
    client.setQueryData(keyOf(projectId), await purse);
    await client.invalidateQueries({ queryKey: ["spending"] });
  };
  return {
    /** The key is made once for a form, so that a fill that is sent twice counts once. */
    fill: (amount: string, key: string) =>
      keep(call<Purse>(pathOf(projectId, "/fill"), { method: "POST", fields: { amount, key } })),
    setInUse: (inUse: boolean) =>
      keep(call<Purse>(pathOf(projectId), { method: "PUT", fields: { in_use: String(inUse) } })),
    /** For administrators. */
    async grant(given: Given): Promise<void> {
      const { balance } = await sendGrant({ project_id: projectId }, given);
      client.setQueryData<Purse>(keyOf(projectId), (known) => known && { ...known, balance });
      await client.invalidateQueries({ queryKey: ["spending"] });
    },
    close: () => keep(call<Purse>(pathOf(projectId, "/close"), { method: "POST", fields: {} })),
  };
}
