import { z } from "zod";

import { trackingLimits as limits } from "../../../limits.ts";
import type { Db } from "../../../platform/database/database.ts";
import { type MetricPoints, secondsSince, writeMetrics } from "../../tracking/metrics-service.ts";
import type { LockedRun } from "../../tracking/tracked-runs-queries.ts";
import { checkKey, cut, entityLimits } from "../http/entity-names.ts";
import { invalid, missing, MlflowError } from "../http/mlflow-error.ts";
import { toRunId } from "./run-ids.ts";
import { type Dataset, type ModelMetric, type Pair, runQueries as queries } from "./runs-queries.ts";
import { checkTags, timeOf, type TrackedRuns } from "./runs-service.ts";

/** A point of a metric, as a client sends it. */
export interface Point {
  key: string;
  value: number;
  timestamp: number;
  step: number;
  model_id: string;
  dataset_name: string;
  dataset_digest: string;
}

interface Batch {
  metrics: Point[];
  params: Pair[];
  tags: Pair[];
}

interface Dependencies {
  runs: Pick<TrackedRuns, "change" | "setTags">;
  /** Called after points of a run were stored. */
  onMetrics?: (runId: string, points: readonly MetricPoints[]) => void;
}

export type Logging = ReturnType<typeof createLogging>;

const historyTag = "mlflow.log-model.history";
const Models = z.array(z.unknown());

/** What clients log in a run. All of one call is stored, or nothing of it. */
export function createLogging({ runs, onMetrics }: Dependencies) {
  async function addMetrics(
    trx: Db,
    run: LockedRun,
    points: readonly Point[],
    node: number | null,
  ): Promise<MetricPoints[]> {
    const lines = new Map<string, MetricPoints>();
    for (const { key, value, timestamp, step } of points) {
      const line = lines.get(key) ?? { name: key, node, steps: [], values: [], times: [] };
      lines.set(key, line);
      line.steps.push(step);
      line.values.push(value);
      line.times.push(secondsSince(run.began_at, new Date(timestamp)));
    }
    const most = { lines: limits.metricsPerRun, points: limits.pointsPerRun, isOnce: true };
    const { stored, linesLeftOut, pointsLeftOut } = await writeMetrics(trx, run, [...lines.values()], most);
    if (linesLeftOut > 0) throw full(`A run can have at most ${most.lines} metrics.`);
    if (pointsLeftOut > 0) throw full(`The metrics of a run can have at most ${most.points} points.`);
    await addModelMetrics(trx, run, points);
    return stored;
  }

  /** What was logged for a model is known by its model too. */
  async function addModelMetrics(trx: Db, run: LockedRun, points: readonly Point[]): Promise<void> {
    const newest = new Map<string, ModelMetric>();
    for (const point of points) {
      if (point.model_id === "") continue;
      const key = JSON.stringify([point.model_id, point.key, point.dataset_name, point.dataset_digest]);
      const known = newest.get(key);
      const isNewer =
        !known || point.step > known.step || (point.step === known.step && point.timestamp >= known.timestamp);
      if (isNewer) newest.set(key, point);
    }
    if (newest.size === 0) return;
    const known = await queries.knownModels(trx, run.project_id, [
      ...new Set(Array.from(newest.values(), ({ model_id }) => model_id)),
    ]);
    const rows = [...newest.values()].filter(({ model_id }) => known.has(model_id));
    if (rows.length > 0) await queries.saveModelMetrics(trx, run.id, rows);
  }

  async function addParams(trx: Db, run: LockedRun, params: readonly Pair[], isBatch: boolean): Promise<void> {
    if (params.length === 0) return;
    const given = new Map(params.map(({ key, value }) => [key, value]));
    const changed = (await queries.addParams(trx, run.id, params)).filter(({ key, value }) => given.get(key) !== value);
    if (changed.length > 0) throw changedParams(run.id, changed, given, isBatch);
    if ((await queries.countTexts(trx, "tracked_params", run.id)) > limits.paramsPerRun)
      throw full(`A run can have at most ${limits.paramsPerRun} parameters.`);
  }

  async function checkCount(trx: Db, runId: string): Promise<void> {
    const most = limits.inputsPerRun + limits.outputsPerRun;
    if ((await queries.countInputs(trx, runId)) > most)
      throw full(`A run can have at most ${most} inputs and outputs.`);
  }

  async function checkModels(trx: Db, { project_id }: LockedRun, ids: readonly string[]): Promise<void> {
    const known = await queries.knownModels(trx, project_id, ids);
    const unknown = ids.find((id) => !known.has(id));
    if (unknown !== undefined) throw missing(`Logged model with ID '${unknown.slice(0, 100)}' not found.`);
  }

  return {
    async logBatch(
      projectId: string,
      runId: string,
      { metrics, params, tags }: Batch,
      node: number | null,
    ): Promise<void> {
      checkSizes({ metrics, params, tags });
      for (const [at, point] of metrics.entries()) checkPoint(point, `metrics[${at}].`);
      const kept = checkParams(params);
      const checkedTags = checkTags(tags);
      const stored = await runs.change(projectId, runId, async (trx, run) => {
        await addParams(trx, run, kept, true);
        await runs.setTags(trx, runId, checkedTags);
        return metrics.length > 0 ? addMetrics(trx, run, metrics, node) : [];
      });
      if (stored.length > 0) onMetrics?.(runId, stored);
    },

    async logMetric(projectId: string, runId: string, point: Point, node: number | null): Promise<void> {
      checkPoint(point, "");
      const stored = await runs.change(projectId, runId, (trx, run) => addMetrics(trx, run, [point], node));
      if (stored.length > 0) onMetrics?.(runId, stored);
    },

    async logParam(projectId: string, runId: string, param: Pair): Promise<void> {
      checkKey(param.key, "key");
      const kept = { key: param.key, value: cut(param.value, entityLimits.paramValue) };
      await runs.change(projectId, runId, (trx, run) => addParams(trx, run, [kept], false));
    },

    async setTag(projectId: string, runId: string, tag: Pair): Promise<void> {
      checkKey(tag.key, "key");
      const kept = { key: tag.key, value: cut(tag.value, entityLimits.tagValue) };
      await runs.change(projectId, runId, (trx) => runs.setTags(trx, runId, [kept]));
    },

    async deleteTag(projectId: string, runId: string, key: string): Promise<void> {
      await runs.change(projectId, runId, async (trx) => {
        if (!(await queries.deleteTag(trx, runId, key)))
          throw missing(`No tag with name: ${key.slice(0, 200)} in run with id ${toRunId(runId)}`);
      });
    },

    async logInputs(projectId: string, runId: string, datasets: Dataset[], models: string[]): Promise<void> {
      await runs.change(projectId, runId, async (trx, run) => {
        // One statement cannot write a row twice.
        const once = new Map(datasets.map((dataset) => [JSON.stringify([dataset.name, dataset.digest]), dataset]));
        if (once.size > 0) await queries.addInputs(trx, runId, [...once.values()]);
        await checkModels(trx, run, models);
        if (models.length > 0) await queries.addModelInputs(trx, runId, models);
        await checkCount(trx, runId);
      });
    },

    async logOutputs(projectId: string, runId: string, models: { model_id: string; step: number }[]): Promise<void> {
      await runs.change(projectId, runId, async (trx, run) => {
        await checkModels(
          trx,
          run,
          models.map(({ model_id }) => model_id),
        );
        if (models.length > 0) await queries.addOutputs(trx, runId, models);
        await checkCount(trx, runId);
      });
    },

    /** Clients of MLflow 2 keep a list of their models in a tag. */
    async logModel(projectId: string, runId: string, described: string): Promise<void> {
      const model = parsed(described);
      if (typeof model !== "object" || model === null)
        throw invalid("Malformed model info. The value of 'model_json' must be a JSON object.");
      for (const field of ["artifact_path", "flavors", "utc_time_created", "run_id"])
        if (!(field in model)) throw invalid(`Model json is missing mandatory fields: {'${field}'}`);
      await runs.change(projectId, runId, async (trx) => {
        const before = Models.safeParse(parsed((await queries.findTag(trx, runId, historyTag)) ?? "[]")).data ?? [];
        const value = JSON.stringify([...before, model]);
        if (value.length > limits.modelHistoryMax) throw full("The list of this run's models is too long.");
        await runs.setTags(trx, runId, [{ key: historyTag, value }]);
      });
    },
  };
}

function checkSizes({ metrics, params, tags }: Batch): void {
  for (const [name, list, most] of [
    ["metrics", metrics, 1_000],
    ["params", params, 100],
    ["tags", tags, 100],
  ] as const)
    if (list.length > most)
      throw invalid(
        `A batch logging request can contain at most ${most} ${name}. Got ${list.length} ${name}. Please split up ${name} across multiple requests and try again.`,
      );
  const total = metrics.length + params.length + tags.length;
  if (total > 1_000)
    throw invalid(
      `A batch logging request can contain at most 1000 metrics, params, and tags. Got ${total}. Please split up the entities across multiple requests and try again.`,
    );
}

function checkPoint({ key, timestamp, step }: Point, path: string): void {
  checkKey(key, `${path}key`);
  timeOf(timestamp, `${path}timestamp`);
  if (!Number.isSafeInteger(step))
    throw invalid(`Invalid value ${step} for parameter '${path}step' supplied: Metric steps must be whole numbers.`);
}

function checkParams(params: readonly Pair[]): Pair[] {
  const twice = params.map(({ key }) => key).filter((key, at, keys) => keys.indexOf(key) !== at);
  if (twice.length > 0)
    throw invalid(
      `Duplicate parameter keys have been submitted: ${listed(twice)}. Please ensure the request contains only one param value per param key.`,
    );
  return params.map(({ key, value }, at) => {
    checkKey(key, `params[${at}].key`);
    return { key, value: cut(value, entityLimits.paramValue) };
  });
}

/** In MLflow's words, which differ for one parameter and for a batch of them. */
function changedParams(runId: string, changed: readonly Pair[], given: ReadonlyMap<string, string>, isBatch: boolean) {
  const id = toRunId(runId);
  const [first] = changed;
  if (first && !isBatch)
    return invalid(
      `Changing param values is not allowed. Param with key='${first.key}' was already logged with value='${first.value}' for run ID='${id}'. Attempted logging new value '${given.get(first.key)}'.`,
    );
  const pairs = changed.map(
    ({ key, value }) => `{'key': '${key}', 'old_value': '${value}', 'new_value': '${given.get(key)}'}`,
  );
  return invalid(
    `Changing param values is not allowed. Params were already logged='[${pairs.join(", ")}]' for run ID='${id}'.`,
  );
}

const listed = (keys: readonly string[]) => `[${keys.map((key) => `'${key}'`).join(", ")}]`;
const full = (message: string) => new MlflowError("RESOURCE_LIMIT_EXCEEDED", message);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
