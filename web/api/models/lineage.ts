import { queryOptions } from "@tanstack/react-query";

import type { Lineage, MadeModels, Reproductions } from "@miranda/contract/schemas/models/lineage.ts";

import { refresh } from "../../limits.ts";
import { call } from "../http.ts";
import { modelKeys, modelPath } from "./model.ts";

const versionKey = (modelId: string, number: number, part: string) => [...modelKeys.of(modelId), part, number];

/** What a version came from, and what uses it. */
export const lineageQuery = (modelId: string, number: number) =>
  queryOptions({
    queryKey: versionKey(modelId, number, "lineage"),
    queryFn: ({ signal }) => call<Lineage>(modelPath(modelId, `/versions/${number}/lineage`), { signal }),
    refetchInterval: false,
    retry: false,
  });

/** Whether a version can be made again, and the runs that did. `isAwaited`: a run is under way. */
export const reproductionsQuery = (modelId: string, number: number, isAwaited = false) =>
  queryOptions({
    queryKey: versionKey(modelId, number, "reproductions"),
    queryFn: ({ signal }) => call<Reproductions>(modelPath(modelId, `/versions/${number}/reproductions`), { signal }),
    refetchInterval: isAwaited ? 2_000 : false,
    retry: false,
  });

/** `isAlive`: more may come, and the last ones are read once more at the end. */
const madeModels = (path: string, isAlive = false) =>
  queryOptions({
    queryKey: ["made-models", path, isAlive],
    queryFn: ({ signal }) => call<MadeModels>(path, { signal }),
    refetchInterval: isAlive ? refresh.default : false,
    // When the run ends, the links stay while they are read once more: somebody may be about to click one.
    placeholderData: (before, query) => (query?.queryKey[1] === path ? before : undefined),
    retry: false,
  });

/** The versions of models that came of a run. */
export const runModelsQuery = (runId: string, isAlive: boolean) =>
  madeModels(`/api/v3/runs/${encodeURIComponent(runId)}/models`, isAlive);

export const versionModelsQuery = (graphId: string, version: string) =>
  madeModels(`/api/v3/graphs/${encodeURIComponent(graphId)}/versions/${encodeURIComponent(version)}/models`);

export const nodeModelsQuery = (node: number) => ({
  ...madeModels(`/api/v3/objects/${node}/models`),
  // A node that the server has not confirmed has no number yet.
  enabled: node > 0,
});
