import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import type {
  ExperimentList,
  ModelComparison,
  RunsPlot,
  TrackedRun,
} from "@miranda/contract/schemas/models/compare.ts";

import { refresh } from "../../limits.ts";
import { call } from "../http.ts";
import { modelKeys, modelPath } from "./model.ts";

/** Which value of each metric is compared. */
export type ComparedAt = { at: "last" } | { at: "best" } | { at: "step"; step: number };

/** Versions as `{modelId}@{number}` and runs by their id. */
export const comparisonQuery = (items: readonly string[], at: ComparedAt) =>
  queryOptions({
    queryKey: ["model-comparison", items, at],
    queryFn: ({ signal }) => {
      const query = new URLSearchParams({
        items: items.join(","),
        at: at.at,
        ...(at.at === "step" && { step: `${at.step}` }),
      });
      return call<ModelComparison>(`/api/v3/models/compare?${query}`, { signal });
    },
    enabled: items.length >= 2,
    placeholderData: keepPreviousData,
    refetchInterval: false,
    retry: false,
  });

/** Every version of a model, for plots over many. */
export const modelPlotQuery = (modelId: string) =>
  queryOptions({
    queryKey: [...modelKeys.of(modelId), "plot"],
    queryFn: ({ signal }) => call<RunsPlot>(modelPath(modelId, "/plot"), { signal }),
    refetchInterval: false,
  });

export const experimentsPath = (projectId: string) => `/api/v3/projects/${encodeURIComponent(projectId)}/experiments`;

export const experimentsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ["experiments", projectId],
    queryFn: ({ signal }) => call<ExperimentList>(experimentsPath(projectId), { signal }),
    retry: false,
  });

/** The newest runs of an experiment. */
export const experimentPlotQuery = (projectId: string, number: number) =>
  queryOptions({
    queryKey: ["experiments", projectId, number],
    queryFn: ({ signal }) => call<RunsPlot>(`${experimentsPath(projectId)}/${number}/plot`, { signal }),
    refetchInterval: false,
    retry: false,
  });

/** A run that an MLflow client made. While it runs, its metrics grow. */
export const trackedRunQuery = (projectId: string, number: number, key: string) =>
  queryOptions({
    queryKey: ["tracked-run", projectId, number, key],
    queryFn: ({ signal }) =>
      call<TrackedRun>(`${experimentsPath(projectId)}/${number}/runs/${encodeURIComponent(key)}`, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === "RUNNING" ? refresh.default : false),
    retry: false,
  });

export function experimentsAddress(projectId: string, number?: number): string {
  return `/designer/projects/${projectId}/experiments${number === undefined ? "" : `/${number}`}`;
}

/** The page of a run that a client made. */
export function trackedRunAddress(projectId: string, experiment: number, key: string): string {
  return `${experimentsAddress(projectId, experiment)}/runs/${key}`;
}
