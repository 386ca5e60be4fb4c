import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";

import type {
  ModelAliases,
  ModelDetails,
  ModelMetrics,
  ModelTrash,
  ModelVersion,
  ModelVersionDetails,
  ModelVersionPage,
} from "@miranda/contract/schemas/models/versions.ts";

import { call } from "../http.ts";

export type ModelPart = "" | "charts" | "files" | "use" | "lineage" | "compare" | "history";

/** The page of a model, or of one of its parts, with a version chosen. */
export function modelAddress(modelId: string, part: ModelPart = "", version?: number): string {
  const address = `/designer/models/${modelId}${part === "" ? "" : `/${part}`}`;
  return version === undefined ? address : `${address}?version=${version}`;
}

export const modelTrashAddress = "/designer/models/trash";

export const modelPath = (modelId: string, rest = "") => `/api/v3/models/${encodeURIComponent(modelId)}${rest}`;

export const modelKeys = {
  list: ["models"],
  trash: ["models-trash"],
  of: (modelId: string) => ["model", modelId],
  one: (modelId: string) => ["model", modelId, "one"],
  versions: (modelId: string) => ["model", modelId, "versions"],
  aliases: (modelId: string) => ["model", modelId, "aliases"],
} as const;

export const modelQuery = (modelId: string) =>
  queryOptions({
    queryKey: modelKeys.one(modelId),
    queryFn: ({ signal }) => call<ModelDetails>(modelPath(modelId), { signal }),
  });

const versionsPage = 100;

/** Newest first. */
export const modelVersionsQuery = (modelId: string) =>
  infiniteQueryOptions({
    queryKey: modelKeys.versions(modelId),
    queryFn: ({ pageParam: after, signal }) =>
      call<ModelVersionPage>(
        modelPath(modelId, `/versions?limit=${versionsPage}${after === 0 ? "" : `&after=${after}`}`),
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap((page): ModelVersion[] => page.versions),
    // Pages are read again one after the other, so a long list is not read again by itself.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? 15_000 : false),
  });

export const modelVersionQuery = (modelId: string, number: number) =>
  queryOptions({
    queryKey: [...modelKeys.versions(modelId), number],
    queryFn: ({ signal }) => call<ModelVersionDetails>(modelPath(modelId, `/versions/${number}`), { signal }),
  });

/** Where the aliases are, and their moves, newest first. */
export const modelAliasesQuery = (modelId: string) =>
  infiniteQueryOptions({
    queryKey: modelKeys.aliases(modelId),
    queryFn: ({ pageParam: after, signal }) =>
      call<ModelAliases>(modelPath(modelId, `/aliases${after === "" ? "" : `?after=${encodeURIComponent(after)}`}`), {
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ moves }) => moves),
    refetchInterval: false,
  });

/** More points than a wide screen has pixels would not be seen. */
const points = 1_000;

/** The metrics of several versions over their steps. */
export const modelMetricsQuery = (modelId: string, versions: readonly number[]) =>
  queryOptions({
    queryKey: [...modelKeys.of(modelId), "metrics", versions],
    queryFn: ({ signal }) =>
      call<ModelMetrics>(modelPath(modelId, `/metrics?versions=${versions.join(",")}&points=${points}`), { signal }),
    enabled: versions.length > 0,
  });

/** What is in the trash: everything, or what belongs to one model. */
export const modelTrashQuery = (modelId?: string) =>
  queryOptions({
    queryKey: modelId === undefined ? modelKeys.trash : [...modelKeys.trash, modelId],
    queryFn: ({ signal }) =>
      call<ModelTrash>(
        `/api/v3/models/trash${modelId === undefined ? "" : `?model_id=${encodeURIComponent(modelId)}`}`,
        { signal },
      ),
  });
