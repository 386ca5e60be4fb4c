import type { ExperimentList, PlottedRun, RunsPlot } from "@miranda/contract/schemas/models/compare.ts";

import { modelFiles } from "../../../limits.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { Projects } from "../../projects/projects-service.ts";
import { modelAddress, runAddress } from "../addresses.ts";
import type { ModelAccess } from "../model-access.ts";
import { versionRowQueries } from "../versions/version-rows-queries.ts";
import { metricValue } from "../versions/version-view.ts";
import type { ModelVersions } from "../versions/versions-service.ts";
import { compareQueries } from "./compare-queries.ts";

interface Dependencies {
  db: Db;
  access: ModelAccess;
  projects: Pick<Projects, "getProject">;
  models: Pick<ModelVersions, "described">;
}

const experimentsListed = 500;

export type RunPlots = ReturnType<typeof createRunPlots>;

/** Many runs or versions at once, for plots. */
export function createRunPlots({ db, access, projects, models }: Dependencies) {
  const queries = compareQueries(db);
  const rows = versionRowQueries(db);

  return {
    async ofModel(caller: Caller, modelId: string, limit: number): Promise<RunsPlot> {
      const model = await access.getModel(caller, modelId, "read");
      const found = await rows.list(modelId, { limit: limit + 1 });
      const versions = await models.described(model.project_id, found.slice(0, limit));
      const plotted = versions.map(({ number, status, run, params, metrics, time_created }): PlottedRun => ({
        ...{ key: `${modelId}@${number}`, label: `Version ${number}`, status, number, params, metrics },
        ...{ run_id: run?.exists ? run.id : null, time_began: time_created, seconds: null },
        address: modelAddress(modelId, number),
      }));
      return plotOf(plotted, found.length > limit);
    },

    async ofExperiment(caller: Caller, projectId: string, experiment: number, limit: number): Promise<RunsPlot> {
      await projects.getProject(caller, projectId, "read");
      if (!(await queries.hasExperiment(projectId, experiment))) throw new AppError("experiment_not_found");
      const found = await queries.plotted(projectId, experiment, limit + 1);
      const shown = found.slice(0, limit);
      const ids = shown.map(({ id }) => id);
      const metrics = new Map(ids.map((id): [string, PlottedRun["metrics"]] => [id, {}]));
      const params = new Map(ids.map((id): [string, PlottedRun["params"]] => [id, {}]));
      for (const { run_id, name, last_value } of await rows.lastMetrics(ids)) {
        const own = metrics.get(run_id);
        if (own) own[name] = metricValue(last_value);
      }
      for (const { run_id, key, value } of await rows.params(ids)) {
        const own = params.get(run_id);
        if (own) own[key] = value;
      }
      const plotted = shown.map(({ id, name, status, living_run, began_at, ended_at }): PlottedRun => ({
        ...{ key: id.replaceAll("-", ""), label: name, status, number: null, run_id: living_run },
        ...{ params: params.get(id) ?? {}, metrics: metrics.get(id) ?? {}, time_began: began_at.toISOString() },
        seconds: ended_at === null ? null : (ended_at.getTime() - began_at.getTime()) / 1_000,
        address: living_run === null ? null : runAddress(living_run),
      }));
      return plotOf(plotted, found.length > limit);
    },

    async experiments(caller: Caller, projectId: string): Promise<ExperimentList> {
      await projects.getProject(caller, projectId, "read");
      const found = await queries.experiments(projectId, experimentsListed);
      return found.map(({ last_run, ...row }) => ({ ...row, time_last_run: last_run?.toISOString() ?? null }));
    },
  };
}

function plotOf(runs: PlottedRun[], cut: boolean): RunsPlot {
  return {
    ...{ runs, cut },
    metric_names: commonNames(runs.map(({ metrics }) => metrics)),
    param_names: commonNames(runs.map(({ params }) => params)),
  };
}

/** Names that most of them have come first. */
function commonNames(records: readonly Record<string, unknown>[]): string[] {
  const counts = new Map<string, number>();
  for (const record of records) for (const name of Object.keys(record)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, modelFiles.plotNamesMax)
    .map(([name]) => name);
}
