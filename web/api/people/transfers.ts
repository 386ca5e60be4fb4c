import { useQuery, useQueryClient } from "@tanstack/react-query";

import type { TransferOffer } from "@miranda/contract/schemas/people/transfers.ts";

import { call, isRefusedWith } from "../http.ts";
import { projectKeys } from "../projects.ts";
import { ownOffersKey } from "./transfer-offers.ts";

const keys = {
  ofProject: (id: string) => ["transfers", "of", id],
} as const;

/** Null when the project is not offered to anybody. */
export function useTransferOffer(projectId: string) {
  return useQuery({
    queryKey: keys.ofProject(projectId),
    queryFn: async ({ signal }) => {
      try {
        return await call<TransferOffer>(`/api/v3/projects/${projectId}/transfer`, { signal });
      } catch (cause) {
        if (isRefusedWith(cause, "transfer_gone")) return null;
        throw cause;
      }
    },
  });
}

export function useTransferCalls(projectId: string) {
  const client = useQueryClient();
  const address = `/api/v3/projects/${projectId}/transfer`;
  const then = async (answer: Promise<unknown>) => {
    await answer;
    await Promise.all([
      client.invalidateQueries({ queryKey: ownOffersKey }),
      client.invalidateQueries({ queryKey: keys.ofProject(projectId) }),
      client.invalidateQueries({ queryKey: projectKeys.lists }),
    ]);
  };
  return {
    accept: () => then(call(`${address}/accept`, { method: "POST" })),
    end: () => then(call(address, { method: "DELETE" })),
    refresh: () => client.invalidateQueries({ queryKey: keys.ofProject(projectId) }),
  };
}
