import { metricChart, model as limits } from "@miranda/contract/limits.ts";
import type { ExperimentList, PlottedRun, RunsPlot, TrackedRun } from "@miranda/contract/schemas/models/compare.ts";

import { modelFiles, trackingLimits } from "../../../limits.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { Projects } from "../../projects/projects-service.ts";
import { tookSeconds } from "../../runs/run-times.ts";
import { modelAddress, runAddress } from "../addresses.ts";
import type { ModelAccess } from "../model-access.ts";
import { versionRowQueries } from "../versions/version-rows-queries.ts";
import { metricValue } from "../versions/version-view.ts";
import type { ModelVersions } from "../versions/versions-service.ts";
import { lineageQueries } from "../lineage/lineage-queries.ts";
import { toMade } from "../lineage/lineage-service.ts";
import { readThinLines } from "../../tracking/thin-lines-queries.ts";
import { compareQueries, type PlotRow } from "./compare-queries.ts";

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

  async function described(found: readonly PlotRow[]): Promise<PlottedRun[]> {
    const ids = found.map(({ id }) => id);
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
    return found.map(({ id, name, status, living_run, began_at, ended_at }) => ({
      ...{ key: id.replaceAll("-", ""), label: name, status, number: null, run_id: living_run },
      ...{ params: params.get(id) ?? {}, metrics: metrics.get(id) ?? {}, time_began: began_at.toISOString() },
      seconds: tookSeconds({ began_at, ended_at }),
      address: living_run === null ? null : runAddress(living_run),
    }));
  }

  /** The account of a person who only reads the project. */
  async function readerOf(caller: Caller, projectId: string): Promise<string | undefined> {
    const { access: right } = await projects.getProject(caller, projectId, "read");
    return right === "viewer" ? caller.accountId : undefined;
  }

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
      const reader = await readerOf(caller, projectId);
      if (!(await queries.hasExperiment(projectId, experiment))) throw new AppError("experiment_not_found");
      const found = await queries.plotted({ projectId, experiment, reader }, limit + 1);
      return plotOf(await described(found.slice(0, limit)), found.length > limit);
    },

    /** One run with its lines. The key is its id without dashes. */
    async ofRun(caller: Caller, projectId: string, experiment: number, key: string): Promise<TrackedRun> {
      const reader = await readerOf(caller, projectId);
      const id = key.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
      const [run] = await described(await queries.plotted({ projectId, experiment, reader }, 1, id));
      if (!run) throw new AppError("run_not_found");
      const most = { points: metricChart.pointsMax, lines: trackingLimits.metricsPerRun };
      const [lines, made] = await Promise.all([
        readThinLines(db, [id], undefined, most),
        lineageQueries(db).made({ trackedRunId: id }, projectId, limits.madeMax),
      ]);
      const series = lines.map(({ node, run_id: _run, ...line }) => ({ ...line, wob_key: node }));
      return { ...run, series, models: made.map(toMade) };
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
