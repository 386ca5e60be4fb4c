import { useQuery, useQueryClient } from "@tanstack/react-query";

import type {
  Deployment,
  DeploymentToken,
  HookBody,
  HookMade,
} from "@miranda/contract/schemas/deployments/deployments.ts";

import { call } from "../http.ts";
import { deploymentKeys, deploymentPath, putDeployment } from "./deployments.ts";

export function useDeploymentTokens(graphId: string, enabled: boolean) {
  return useQuery({
    queryKey: deploymentKeys.tokens(graphId),
    queryFn: ({ signal }) => call<DeploymentToken[]>(deploymentPath(graphId, "/tokens"), { signal }),
    enabled,
  });
}

/** The ways to a deployment that need no account: its link, its address for programs, its tokens. */
export function useSharingActions(graphId: string) {
  const client = useQueryClient();
  const refetch = () => client.invalidateQueries({ queryKey: deploymentKeys.one(graphId) });
  const refetchTokens = () => client.invalidateQueries({ queryKey: deploymentKeys.tokens(graphId) });
  return {
    /** Its first link, or a new one: the old one ends. */
    async makeLink(): Promise<Deployment> {
      const deployment = await call<Deployment>(deploymentPath(graphId, "/link"), { method: "POST" });
      putDeployment(client, graphId, deployment);
      return deployment;
    },
    async removeLink(): Promise<void> {
      await call(deploymentPath(graphId, "/link"), { method: "DELETE" });
      await refetch();
    },
    async makeHook({ signed, field }: HookBody): Promise<HookMade> {
      const made = await call<HookMade>(deploymentPath(graphId, "/hook"), {
        method: "POST",
        fields: { signed, field },
      });
      await refetch();
      return made;
    },
    async removeHook(): Promise<void> {
      await call(deploymentPath(graphId, "/hook"), { method: "DELETE" });
      await refetch();
    },
    /** The token is shown once. */
    async makeToken(name: string): Promise<string> {
      const { token } = await call<{ token: string }>(deploymentPath(graphId, "/tokens"), {
        method: "POST",
        fields: { name },
      });
      await refetchTokens();
      return token;
    },
    async revokeToken(id: string): Promise<void> {
      await call(deploymentPath(graphId, `/tokens/${id}`), { method: "DELETE" });
      await refetchTokens();
    },
  };
}
