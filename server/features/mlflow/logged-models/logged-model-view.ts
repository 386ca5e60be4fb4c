import { modelFolder } from "../../artifacts/artifact-paths.ts";
import { pairsOf } from "../registry/registry-views.ts";
import { toRunId } from "../runs/run-ids.ts";
import type { LoggedMetricRow, LoggedModelRow } from "./logged-models-queries.ts";

/** A logged model as MLflow's client reads it. What is empty is left out. */
export function toLoggedModel(row: LoggedModelRow, metrics: readonly LoggedMetricRow[]) {
  const tags = pairsOf(row.tags);
  const params = pairsOf(row.params);
  return {
    info: {
      model_id: row.id,
      experiment_id: String(row.experiment),
      name: row.name,
      creation_timestamp_ms: row.created_at.getTime(),
      last_updated_timestamp_ms: row.updated_at.getTime(),
      artifact_uri: `mlflow-artifacts:/${modelFolder(row.experiment, row.id)}`,
      status: row.status,
      model_type: row.type,
      ...(row.run_id !== null && { source_run_id: toRunId(row.run_id) }),
      ...(tags.length > 0 && { tags }),
    },
    data: {
      ...(params.length > 0 && { params }),
      ...(metrics.length > 0 && { metrics: metrics.map(toMetric) }),
    },
  };
}

function toMetric(row: LoggedMetricRow) {
  return {
    key: row.name,
    // JSON has no form of NaN and of infinities.
    value: Number.isFinite(row.value) ? row.value : String(row.value),
    timestamp: row.logged_at.getTime(),
    step: row.step,
    ...(row.dataset_name !== "" && { dataset_name: row.dataset_name }),
    ...(row.dataset_digest !== "" && { dataset_digest: row.dataset_digest }),
    model_id: row.model_id,
    run_id: toRunId(row.run_id),
  };
}
