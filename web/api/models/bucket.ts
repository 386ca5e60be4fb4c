import { useQuery, useQueryClient } from "@tanstack/react-query";

import type { ArtifactBucket } from "@miranda/contract/schemas/models/buckets.ts";

import { call } from "../http.ts";

const bucketKey = (projectId: string) => ["artifact-bucket", projectId];
const path = (projectId: string) => `/api/v3/projects/${encodeURIComponent(projectId)}/artifact_bucket`;

export function useArtifactBucket(projectId: string) {
  return useQuery({
    queryKey: bucketKey(projectId),
    queryFn: ({ signal }) => call<ArtifactBucket>(path(projectId), { signal }),
    refetchOnMount: "always",
    refetchInterval: false,
  });
}

export function useBucketActions(projectId: string) {
  const client = useQueryClient();
  const put = (found: ArtifactBucket) => client.setQueryData(bucketKey(projectId), found);
  return {
    save: async (fields: Record<string, string>): Promise<void> =>
      void put(await call<ArtifactBucket>(path(projectId), { method: "PUT", fields })),
    leave: async (): Promise<void> => void put(await call<ArtifactBucket>(path(projectId), { method: "DELETE" })),
  };
}
