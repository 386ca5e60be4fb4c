import type { MetricValue } from "@miranda/contract/schemas/models/models.ts";
import type { ModelVersion } from "@miranda/contract/schemas/models/versions.ts";

import { authorOf } from "../../auth/auth-service.ts";
import type { VersionRow } from "./version-rows-queries.ts";

/** What other tables know of a version. */
interface VersionExtras {
  /** Of its tracked run, which may have logged more after the version was made. */
  metrics: ReadonlyMap<string, number>;
  params: ReadonlyMap<string, string>;
  bytes: number;
  files: number;
}

export function toVersion(row: VersionRow, extras: VersionExtras): ModelVersion {
  return {
    number: row.number,
    description: row.description,
    tags: row.tags,
    aliases: row.aliases,
    stage: row.stage,
    status: row.status,
    metrics: metricsOf(row.metrics, extras.metrics),
    params: { ...Object.fromEntries(extras.params), ...row.params },
    bytes: extras.bytes,
    files: extras.files,
    author: row.author || (row.username ?? ""),
    by: authorOf(row),
    run:
      row.run_id === null
        ? null
        : { id: row.run_id, state: row.run_state, cost: row.run_cost, exists: row.living_run !== null },
    tracked_run: trackedOf(row),
    workflow: workflowOf(row),
    node: row.node_id === null ? null : { wob_key: row.node_id, name: row.node_name ?? "" },
    hardware: row.hardware,
    miranda_version: row.miranda_version,
    uri: `models:/${row.model_name}/${row.number}`,
    time_created: row.created_at.toISOString(),
    last_updated: row.updated_at.toISOString(),
  };
}

function trackedOf(row: VersionRow): ModelVersion["tracked_run"] {
  if (row.tracked_run_id === null) return null;
  return {
    id: row.tracked_run_id.replaceAll("-", ""),
    name: row.tracked_name ?? "",
    experiment: row.experiment ?? 0,
    experiment_name: row.experiment_name ?? "",
    status: row.tracked_status ?? "",
  };
}

function workflowOf(row: VersionRow): ModelVersion["workflow"] {
  if (row.graph_id === null) return null;
  const version = row.version_id === null ? null : { id: row.version_id, number: row.version_number };
  return {
    id: row.graph_id,
    name: row.graph_name ?? "",
    project_id: row.project_id,
    version: version && { ...version, name: row.version_name ?? "" },
  };
}

/** The metrics of the version itself count more than those of its run, which may have made several models. */
function metricsOf(own: Record<string, unknown>, ofRun: ReadonlyMap<string, number>): ModelVersion["metrics"] {
  const metrics: ModelVersion["metrics"] = {};
  for (const [name, value] of ofRun) metrics[name] = metricValue(value);
  // The version's copy has null for what JSON cannot say; the run's own value may be NaN.
  for (const [name, value] of Object.entries(own)) metrics[name] = metricValue(value) ?? metrics[name] ?? null;
  return metrics;
}

const words: Record<string, MetricValue> = { NaN: "NaN", Infinity: "Infinity", "-Infinity": "-Infinity" };

/** A value as JSON can say it. Null for anything that is no metric. */
export function metricValue(value: unknown): MetricValue | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : (words[String(value)] ?? null);
  return typeof value === "string" ? (words[value] ?? null) : null;
}
