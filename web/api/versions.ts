import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";

import type {
  CreateVersionBody,
  MergeBody,
  MergePreview,
  NodeEdits,
  Origin,
  RestoredVersion,
  Version,
  VersionPage,
} from "@miranda/contract/schemas/versions.ts";

import { call, HttpError } from "./http.ts";
import { graphPath, loadComparison, loadVersionGraph, now, type Sides, versionPath } from "./prefetch-versions.ts";

export { now, type Sides };

const path = graphPath;

const keys = {
  all: (graphId: string) => ["versions", graphId],
  lists: (graphId: string) => ["versions", graphId, "list"],
} as const;

/** A version never changes. The workflow as it is does, with every revision. */
const fixed = { staleTime: Number.POSITIVE_INFINITY, refetchInterval: false, structuralSharing: false } as const;

/** Newest first. */
export const versionsQuery = (graphId: string, kind: "all" | "named" = "all") =>
  infiniteQueryOptions({
    queryKey: [...keys.lists(graphId), kind],
    queryFn: ({ pageParam: after, signal }) =>
      call<VersionPage>(`${path(graphId)}/versions?kind=${kind}${after === "" ? "" : `&after=${after}`}`, { signal }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    // Pages are read again one after the other: a long list is read again when somebody asks for it.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? 15_000 : false),
  });

export const versionQuery = (graphId: string, version: string) =>
  queryOptions({
    queryKey: [...keys.all(graphId), "one", version],
    queryFn: ({ signal }) => call<Version>(versionPath(graphId, version), { signal }),
    ...fixed,
  });

/** `revision` is that of the workflow as it is: with another one, `now` is another graph. */
export const versionGraphQuery = (graphId: string, version: string, revision: number) =>
  queryOptions({
    queryKey: [...keys.all(graphId), "graph", version, ...(version === now ? [revision] : [])],
    queryFn: ({ signal }) => loadVersionGraph(graphId, version, version === now ? revision : undefined, signal),
    ...fixed,
  });

/** Without what the graph of `before` has. `revision` as above. */
export const comparisonQuery = (graphId: string, sides: Sides, revision: number) => {
  const { before, after, with: other } = sides;
  const present = before === now || (after === now && other === undefined) ? revision : undefined;
  return queryOptions({
    queryKey: [...keys.all(graphId), "comparison", before, after, other, present],
    queryFn: ({ signal }) => loadComparison(graphId, sides, present, signal),
    ...fixed,
    // Another workflow may change at any time, and nothing here says so.
    ...(other !== undefined && { staleTime: 0 }),
  });
};

/** Who changed which node since a version. */
export const editsQuery = (graphId: string, version: string, revision: number) =>
  queryOptions({
    queryKey: [...keys.all(graphId), "edits", version, revision],
    queryFn: ({ signal }) => call<NodeEdits>(`${versionPath(graphId, version)}/edits`, { signal }),
    refetchInterval: false,
  });

/** Who ever changed which node. */
export const allEditsQuery = (graphId: string, revision: number) =>
  queryOptions({
    queryKey: [...keys.all(graphId), "all edits", revision],
    queryFn: ({ signal }) => call<NodeEdits>(`${path(graphId)}/edits`, { signal }),
    refetchInterval: false,
  });

/** The newest published version, or null. */
export const lastPublishedQuery = (graphId: string) =>
  queryOptions({
    queryKey: [...keys.lists(graphId), "published"],
    queryFn: async ({ signal }): Promise<Version | null> => {
      for (let after: string | null = ""; after !== null;) {
        const page: VersionPage = await call<VersionPage>(
          `${path(graphId)}/versions?kind=named${after === "" ? "" : `&after=${after}`}`,
          { signal },
        );
        const found = page.versions.find(({ time_published }) => time_published !== null);
        if (found) return found;
        after = page.next;
      }
      return null;
    },
    refetchInterval: false,
  });

/** The newest version with a name, or null. */
export const lastNamedQuery = (graphId: string) =>
  queryOptions({
    queryKey: [...keys.lists(graphId), "last named"],
    queryFn: async ({ signal }): Promise<Version | null> => {
      const page = await call<VersionPage>(`${path(graphId)}/versions?kind=named&limit=1`, { signal });
      return page.versions[0] ?? null;
    },
    refetchInterval: false,
  });

/** The workflow from which a workflow was cloned; null when it is no clone. */
export const originQuery = (graphId: string) =>
  queryOptions({
    queryKey: [...keys.all(graphId), "origin"],
    queryFn: async ({ signal }): Promise<Origin | null> => {
      try {
        return await call<Origin>(`${path(graphId)}/origin`, { signal });
      } catch (cause) {
        if (cause instanceof HttpError && cause.status === 404) return null;
        throw cause;
      }
    },
    staleTime: 60_000,
    refetchInterval: false,
  });

/** After a version was made or deleted. */
export function refreshVersions(client: QueryClient, graphId: string): void {
  void client.invalidateQueries({ queryKey: keys.lists(graphId) });
}

export function createVersion(graphId: string, { left_out, ...fields }: CreateVersionBody): Promise<Version> {
  return call(`${path(graphId)}/versions`, {
    method: "POST",
    fields: { ...fields, left_out: JSON.stringify(left_out) },
  });
}

export function deleteVersion(graphId: string, version: string): Promise<void> {
  return call(versionPath(graphId, version), { method: "DELETE" });
}

export function workflowFromVersion(
  graphId: string,
  version: string,
  fields: { project_id: string; name: string },
): Promise<{ id: string }> {
  return call(`${versionPath(graphId, version)}/workflow`, { method: "POST", fields });
}

export const mergePreviewKey = (graphId: string, from: string, revision: number) => [
  ...keys.all(graphId),
  "merge",
  from,
  revision,
];

/** What a merge would change. */
export function previewMerge(graphId: string, from: string, signal: AbortSignal): Promise<MergePreview> {
  return call(`${path(graphId)}/merges/preview`, { method: "POST", fields: { from }, signal });
}

export function merge(graphId: string, { resolutions, ...fields }: MergeBody): Promise<RestoredVersion> {
  return call(`${path(graphId)}/merges`, {
    method: "POST",
    fields: { ...fields, resolutions: JSON.stringify(resolutions) },
  });
}
