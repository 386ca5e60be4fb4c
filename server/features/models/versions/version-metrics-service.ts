import { model as limits } from "@miranda/contract/limits.ts";
import { isLowerBetter } from "@miranda/contract/metrics/metric-direction.ts";
import type { ModelMetrics, ModelMetricSeries, ModelMetricsQuery } from "@miranda/contract/schemas/models/versions.ts";

import type { Db } from "../../../platform/database/database.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { readThinLines } from "../../tracking/thin-lines-queries.ts";
import type { ModelAccess } from "../model-access.ts";
import { versionRowQueries } from "./version-rows-queries.ts";
import { metricValue } from "./version-view.ts";

/** A list of none would be no SQL. */
const noRun = "00000000-0000-0000-0000-000000000000";

interface Summary {
  run_id: string;
  name: string;
  last_value: number;
  last_step: number;
  min_value: number | null;
  min_step: number | null;
  max_value: number | null;
  max_step: number | null;
}

export type VersionMetrics = ReturnType<typeof createVersionMetrics>;

/** Metrics of several versions over their steps, for one chart. */
export function createVersionMetrics({ db, access }: { db: Db; access: ModelAccess }) {
  const queries = versionRowQueries(db);

  async function summaries(runIds: readonly string[]): Promise<Map<string, Summary>> {
    const rows: Summary[] = await db
      .selectFrom("metric_summaries")
      .select(["run_id", "name", "last_value", "last_step", "min_value", "min_step", "max_value", "max_step"])
      .where("run_id", "in", runIds.length > 0 ? runIds : [noRun])
      .execute();
    return new Map(rows.map((row) => [`${row.run_id} ${row.name}`, row]));
  }

  return {
    async read(caller: Caller, modelId: string, { versions, name, points }: ModelMetricsQuery): Promise<ModelMetrics> {
      await access.getModel(caller, modelId, "read");
      const rows = await queries.some(modelId, versions);
      const runIds = [...new Set(rows.flatMap(({ tracked_run_id: id }) => id ?? []))];
      const [lines, known] = await Promise.all([
        readThinLines(db, runIds, name, { points, lines: limits.namesMax * limits.comparedMax }),
        summaries(runIds),
      ]);
      const series: ModelMetricSeries[] = [];
      for (const { number, tracked_run_id } of rows)
        for (const { run_id, node, ...line } of lines) {
          const summary = known.get(`${run_id} ${line.name}`);
          if (run_id !== tracked_run_id || !summary) continue;
          series.push({ ...line, wob_key: node, version: number, ...marksOf(summary) });
        }
      return series;
    },
  };
}

function marksOf(summary: Summary): Pick<ModelMetricSeries, "lowest" | "highest" | "last" | "lower_is_better"> {
  const { min_value, min_step, max_value, max_step } = summary;
  return {
    lowest: min_value === null ? null : { step: min_step ?? 0, value: min_value },
    highest: max_value === null ? null : { step: max_step ?? 0, value: max_value },
    last: { step: summary.last_step, value: metricValue(summary.last_value) ?? "NaN" },
    lower_is_better: isLowerBetter(summary.name),
  };
}
