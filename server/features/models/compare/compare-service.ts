import { durationText } from "@miranda/contract/words/duration-text.ts";
import { moneyText } from "@miranda/contract/words/money-text.ts";
import { isLowerBetter } from "@miranda/contract/metrics/metric-direction.ts";
import type { ComparedItem, CompareModelsQuery, ModelComparison } from "@miranda/contract/schemas/models/compare.ts";
import type { ModelVersion } from "@miranda/contract/schemas/models/versions.ts";
import { fileSize } from "@miranda/contract/words/file-size.ts";
import { stateWords } from "@miranda/contract/words/state-words.ts";

import { hasOthersCall } from "../../../model/others-calls-queries.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { Projects } from "../../projects/projects-service.ts";
import { modelAddress, runAddress } from "../addresses.ts";
import { tookSeconds } from "../../runs/run-times.ts";
import { versionRowQueries } from "../versions/version-rows-queries.ts";
import { metricValue } from "../versions/version-view.ts";
import type { ModelVersions } from "../versions/versions-service.ts";
import { type ComparedRun, compareQueries, type MetricSummary, type RunFacts } from "./compare-queries.ts";
import { comparedMetrics, comparedTexts, type ValueAtStep } from "./compared-values.ts";

interface Dependencies {
  db: Db;
  projects: Pick<Projects, "accessTo">;
  models: Pick<ModelVersions, "getRow" | "described">;
  /** The currency sign. */
  currency: string;
}

/** An item with what only the server needs. */
interface Found {
  item: ComparedItem;
  version: ModelVersion | null;
  /** The id of its tracked run, with dashes. */
  trackedId: string | null;
  author: string;
  /** Its metrics were given with it, and not copied from its run. */
  hasOwnMetrics: boolean;
}

export type ModelComparing = ReturnType<typeof createModelComparing>;

/** Versions of models and runs side by side. */
export function createModelComparing({ db, projects, models, currency }: Dependencies) {
  const queries = compareQueries(db);
  const versionQueries = versionRowQueries(db);

  async function findVersion(caller: Caller, key: string, modelId: string, number: number): Promise<Found> {
    const { row } = await models.getRow(caller, modelId, number);
    const [version] = await models.described(row.project_id, [row]);
    const workflow = version?.workflow;
    return {
      ...{ version: version ?? null, trackedId: row.tracked_run_id, author: version ? authorWords(version) : "" },
      hasOwnMetrics: row.source === "",
      item: {
        ...{ key, label: `${row.model_name} ${number}`, run_id: row.living_run },
        model: { id: modelId, name: row.model_name, number, aliases: row.aliases },
        tracked_run_id: row.tracked_run_id?.replaceAll("-", "") ?? null,
        workflow: workflow ? { ...placeOf(workflow), version_id: workflow.version?.id ?? null } : null,
        time_created: row.created_at.toISOString(),
        address: modelAddress(modelId, number),
      },
    };
  }

  async function findRun(caller: Caller, key: string): Promise<Found> {
    const row = await queries.run(uuidOf(key));
    const access = row ? await projects.accessTo(caller, row.project_id) : null;
    if (!row || access === null) throw new AppError("run_not_found");
    const ids = [row.id, row.run_id].filter((one) => one !== null);
    if (access === "viewer" && (await hasOthersCall(db, { runs: ids, models: [] }, caller.accountId)))
      throw new AppError("call_content_private");
    const { graph_id: id, graph_name: name, project_id, version_id } = row;
    return {
      ...{ version: null, trackedId: row.tracked_run_id, author: row.author ?? "", hasOwnMetrics: false },
      item: {
        ...{ key, label: labelOf(row), model: null, run_id: row.run_id },
        tracked_run_id: row.tracked_run_id?.replaceAll("-", "") ?? null,
        workflow: id === null ? null : { id, name: name ?? "", project_id, version_id },
        time_created: row.began_at.toISOString(),
        address: row.run_id === null ? null : runAddress(row.run_id),
      },
    };
  }

  function find(caller: Caller, key: string): Promise<Found> {
    const [id = "", number] = key.split("@");
    return number === undefined ? findRun(caller, id) : findVersion(caller, key, uuidOf(id), Number(number));
  }

  /** The asked-for value of each metric, by tracked run. */
  async function metricsAt(ids: readonly string[], { at, step }: Pick<CompareModelsQuery, "at" | "step">) {
    const found = new Map<string, Map<string, ValueAtStep>>();
    const put = (runId: string, name: string, value: number | null, where: number | null): void => {
      const values = found.get(runId) ?? new Map<string, ValueAtStep>();
      found.set(runId, values);
      const told = metricValue(value);
      if (told !== null) values.set(name, { value: told, step: where });
    };
    if (at === "step")
      for (const one of await queries.atStep(ids, step ?? 0)) put(one.run_id, one.name, one.value, one.step);
    else
      for (const summary of await queries.summaries(ids)) {
        const [value, where] = at === "best" ? bestOf(summary) : [summary.last_value, summary.last_step];
        put(summary.run_id, summary.name, value, where);
      }
    return found;
  }

  async function paramsOf(ids: readonly string[]): Promise<Map<string, Map<string, string>>> {
    const found = new Map<string, Map<string, string>>();
    for (const { run_id, key, value } of await versionQueries.params(ids)) {
      const params = found.get(run_id) ?? new Map<string, string>();
      found.set(run_id, params.set(key, value));
    }
    return found;
  }

  return {
    async compare(caller: Caller, { items, at, step }: CompareModelsQuery): Promise<ModelComparison> {
      if (at === "step" && step === undefined) throw new AppError("invalid_body", "Which step? Give step a number.");
      const found: Found[] = [];
      // One after the other: each asks several questions, and a comparison must not take all connections.
      for (const key of items) found.push(await find(caller, key));
      const ids = [...new Set(found.flatMap(({ trackedId }) => trackedId ?? []))];
      const [metrics, ended, params, runs, range] = [
        await metricsAt(ids, { at, step }),
        new Set<string | null>(await queries.ended(ids)),
        await paramsOf(ids),
        new Map((await queries.runFacts(found.flatMap(({ item }) => item.run_id ?? []))).map((run) => [run.id, run])),
        await queries.steps(ids),
      ];
      const runOf = ({ item }: Found): RunFacts | undefined => runs.get(item.run_id ?? "");
      return {
        items: found.map(({ item }) => item),
        metrics: comparedMetrics(
          found.map((one) =>
            withOwn(one, metrics.get(one.trackedId ?? ""), at, one.hasOwnMetrics || ended.has(one.trackedId)),
          ),
        ),
        params: comparedTexts(
          found.map(
            (one) =>
              new Map([...(params.get(one.trackedId ?? "") ?? []), ...Object.entries(one.version?.params ?? {})]),
          ),
        ),
        packages: comparedTexts(found.map((one) => new Map(Object.entries(runOf(one)?.packages ?? {})))),
        facts: comparedTexts(found.map((one) => factsOf(one, runOf(one), currency))),
        steps: range.from === null || range.to === null ? null : { from: range.from, to: range.to },
      };
    },
  };
}

/**
 * The last values of a version itself count more than those of its run, which may have made several models. They have no
 * step. While the run goes on, the version has values of the moment when it was registered: those of the run are newer.
 */
function withOwn(
  { version }: Found,
  ofRun: ReadonlyMap<string, ValueAtStep> | undefined,
  at: CompareModelsQuery["at"],
  isFinal: boolean,
): Map<string, ValueAtStep> {
  const values = new Map(ofRun);
  if (at === "step") return values;
  for (const [name, value] of Object.entries(version?.metrics ?? {})) {
    const known = values.get(name);
    const isKnown = known !== undefined && (at === "best" || !isFinal || known.value === value);
    if (value !== null && !isKnown) values.set(name, { value, step: null });
  }
  return values;
}

function bestOf(summary: MetricSummary): [number | null, number | null] {
  const { min_value, min_step, max_value, max_step } = summary;
  const [value, step] = isLowerBetter(summary.name) ? [min_value, min_step] : [max_value, max_step];
  // Without a finite value, the last one says what happened.
  return value === null ? [summary.last_value, summary.last_step] : [value, step];
}

function factsOf({ version, author, item }: Found, run: RunFacts | undefined, currency: string): Map<string, string> {
  const seconds = run ? tookSeconds(run) : null;
  const facts: [string, string | null | undefined][] = [
    ["Workflow", item.workflow?.name],
    ["State", stateWords(run?.state ?? version?.tracked_run?.status ?? "")],
    ["Took", seconds === null ? null : durationText(seconds)],
    ["Cost", run && moneyText(run.cost, currency)],
    ["Author", author],
    ["Python", run?.python],
    ["Hardware", version?.hardware.join(", ")],
    ["Size", version && (version.files === 0 ? "No files" : fileSize(version.bytes))],
    ["Stage", version?.stage],
    ["Aliases", version?.aliases.join(", ")],
  ];
  return new Map(facts.flatMap(([name, value]) => (value ? [[name, value] as const] : [])));
}

/** As the list of versions shows it. */
function authorWords({ by, author }: ModelVersion): string {
  return by ? `${by.first_name} ${by.last_name}`.trim() || by.username : author || "Unknown";
}

function placeOf({ id, name, project_id }: { id: string; name: string; project_id: string }) {
  return { id, name, project_id };
}

function labelOf({ graph_name, run_number, tracked_name }: ComparedRun): string {
  return graph_name !== null && run_number !== null ? `${graph_name}, run ${run_number}` : (tracked_name ?? "");
}

function uuidOf(id: string): string {
  const hex = id.toLowerCase().replaceAll("-", "");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
