import {
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useInfiniteQuery,
  useQueryClient,
} from "@tanstack/react-query";

import type {
  Channel,
  DeployBody,
  Deployment,
  DeploymentPage,
  DeploymentPatch,
  Release,
  ReleaseBody,
  ReleasePage,
  ReleaseProposal,
} from "@miranda/contract/schemas/deployments/deployments.ts";
import type { JobSummary } from "@miranda/contract/schemas/processors.ts";

import { call, type FormFields, HttpError } from "../http.ts";

export const deploymentPath = (graphId: string, rest = "") =>
  `/api/v3/graphs/${encodeURIComponent(graphId)}/deployment${rest}`;

export const deploymentKeys = {
  of: (graphId: string) => ["deployment", graphId],
  one: (graphId: string) => ["deployment", graphId, "one"],
  releases: (graphId: string) => ["deployment", graphId, "releases"],
  calls: (graphId: string) => ["deployment", graphId, "calls"],
  tokens: (graphId: string) => ["deployment", graphId, "tokens"],
  sessions: (graphId: string) => ["deployment", graphId, "sessions"],
  project: (projectId: string) => ["deployments", projectId],
} as const;

/** The address of the page of a deployment, or of one of its tabs. */
export function deploymentAddress(projectId: string, graphId: string, tab = ""): string {
  const address = `/designer/projects/${projectId}/deployments/${graphId}`;
  return tab === "" || tab === "overview" ? address : `${address}?tab=${tab}`;
}

/** Null when the workflow is not deployed. Events keep it up to date; it is read again in case one was lost. */
export const deploymentQuery = (graphId: string) =>
  queryOptions({
    queryKey: deploymentKeys.one(graphId),
    queryFn: async ({ signal }): Promise<Deployment | null> => {
      try {
        return await call<Deployment>(deploymentPath(graphId), { signal });
      } catch (cause) {
        if (cause instanceof HttpError && cause.code === "deployment_not_found") return null;
        throw cause;
      }
    },
    retry: false,
  });

const projectPage = 24;

/** Newest first. */
export function useProjectDeployments(projectId: string) {
  return useInfiniteQuery({
    queryKey: deploymentKeys.project(projectId),
    queryFn: ({ pageParam: after, signal }) => {
      const query = new URLSearchParams({ limit: `${projectPage}`, ...(after !== "" && { after }) });
      return call<DeploymentPage>(`/api/v3/projects/${encodeURIComponent(projectId)}/deployments?${query}`, { signal });
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
  });
}

/** What a release of a version could ask for and show. */
export const proposalQuery = (graphId: string, version: number) =>
  queryOptions({
    queryKey: [...deploymentKeys.of(graphId), "proposal", version],
    queryFn: ({ signal }) => call<ReleaseProposal>(deploymentPath(graphId, `/proposal?version=${version}`), { signal }),
    refetchInterval: false,
    retry: false,
    // What the release before had may have changed.
    staleTime: 0,
    gcTime: 0,
  });

/** Newest first. */
export const releasesQuery = (graphId: string) =>
  infiniteQueryOptions({
    queryKey: deploymentKeys.releases(graphId),
    queryFn: ({ pageParam: after, signal }) =>
      call<ReleasePage>(deploymentPath(graphId, `/releases${after === "" ? "" : `?after=${after}`}`), { signal }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    refetchInterval: false,
  });

/** The sessions that serve it. */
export const deploymentSessionsQuery = (graphId: string) =>
  queryOptions({
    queryKey: deploymentKeys.sessions(graphId),
    queryFn: ({ signal }) => call<JobSummary[]>(deploymentPath(graphId, "/sessions"), { signal }),
  });

export function putDeployment(client: QueryClient, graphId: string, deployment: Deployment): void {
  client.setQueryData(deploymentKeys.one(graphId), deployment);
  void client.invalidateQueries({ queryKey: deploymentKeys.releases(graphId) });
  void client.invalidateQueries({ queryKey: deploymentKeys.project(deployment.graph.project_id) });
}

export function refetchDeployment(client: QueryClient, graphId: string): void {
  void client.invalidateQueries({ queryKey: deploymentKeys.of(graphId) });
}

/** Objects, lists and null go as JSON. */
function formOf(fields: Readonly<Record<string, unknown>>): FormFields {
  const form: FormFields = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    form[name] =
      typeof value === "string" || typeof value === "number" || typeof value === "boolean"
        ? value
        : JSON.stringify(value);
  }
  return form;
}

export function useDeploymentActions(graphId: string) {
  const client = useQueryClient();
  const put = (deployment: Deployment): Deployment => {
    putDeployment(client, graphId, deployment);
    return deployment;
  };
  return {
    async deploy(body: DeployBody): Promise<Deployment> {
      return put(await call<Deployment>(deploymentPath(graphId), { method: "POST", fields: formOf(body) }));
    },
    async change(patch: DeploymentPatch): Promise<Deployment> {
      return put(await call<Deployment>(deploymentPath(graphId), { method: "PATCH", fields: formOf(patch) }));
    },
    async remove(): Promise<void> {
      await call(deploymentPath(graphId), { method: "DELETE" });
      client.setQueryData(deploymentKeys.one(graphId), null);
      void client.invalidateQueries({ queryKey: ["deployments"] });
    },
    async release(body: ReleaseBody): Promise<Release> {
      const made = await call<Release>(deploymentPath(graphId, "/releases"), { method: "POST", fields: formOf(body) });
      await client.invalidateQueries({ queryKey: deploymentKeys.of(graphId) });
      return made;
    },
    /** Serves a release: publishes it, or rolls back to it. */
    async serve(channel: Channel, release: number | null): Promise<Deployment> {
      const path = deploymentPath(graphId, `/channels/${channel}`);
      return put(await call<Deployment>(path, { method: "PUT", fields: formOf({ release }) }));
    },
    async setPicture(picture: File): Promise<void> {
      await call(deploymentPath(graphId, "/picture"), { method: "PUT", fields: { picture } });
      await client.invalidateQueries({ queryKey: deploymentKeys.one(graphId) });
    },
    async removePicture(): Promise<void> {
      await call(deploymentPath(graphId, "/picture"), { method: "DELETE" });
      await client.invalidateQueries({ queryKey: deploymentKeys.one(graphId) });
    },
  };
}
