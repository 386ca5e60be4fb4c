import { z } from "zod";

import { ViewType } from "../experiments/experiments-routes.ts";
import { Int64, OptionalText, Pairs, Text, Texts } from "../http/mlflow-inputs.ts";
import { missing } from "../http/mlflow-error.ts";
import type { MlflowScope } from "../http/mlflow-scope.ts";
import { RawJson } from "../http/raw-json.ts";
import type { createBulkHistory } from "./bulk-history.ts";
import type { createMetricHistory } from "./metric-history.ts";
import { readRunId } from "./run-ids.ts";
import type { createRunSearch } from "./run-search-service.ts";
import type { TrackedRuns } from "./runs-service.ts";

interface Dependencies {
  runs: TrackedRuns;
  search: ReturnType<typeof createRunSearch>;
  history: ReturnType<typeof createMetricHistory>;
  bulkHistory: ReturnType<typeof createBulkHistory>;
}

/** Old clients name a run by `run_uuid`. */
const ByRun = z
  .object({ run_id: OptionalText, run_uuid: OptionalText })
  .transform(({ run_id, run_uuid }) => readRunId(run_id, run_uuid));

const Status = z.enum(["RUNNING", "SCHEDULED", "FINISHED", "FAILED", "KILLED"]);
const named = { run_id: OptionalText, run_uuid: OptionalText };

/** Runs: made, read, changed, searched. */
export function trackedRunRoutes(scope: MlflowScope, { runs, search, history, bulkHistory }: Dependencies): void {
  scope.add("POST", "runs/create", {
    right: "write",
    input: z.object({
      experiment_id: z.string().default("0"),
      user_id: z.string().default(""),
      run_name: z.string().default(""),
      start_time: Int64.optional(),
      tags: Pairs.default([]),
    }),
    answer: async ({ caller, projectId, node, input }) => {
      const id = await runs.create(caller, projectId, { ...input, start_time: input.start_time }, node);
      return new RawJson(`{"run":${await runs.getRun(projectId, id)}}`);
    },
  });
  // For our own SDK in node code.
  scope.add("GET", "runs/current", {
    right: "read",
    input: z.object({}),
    answer: async ({ caller, projectId }) => {
      if (!caller.job?.runId) throw missing("There is no run that this call belongs to.");
      return new RawJson(`{"run":${await runs.getRun(projectId, caller.job.runId)}}`);
    },
  });
  scope.add("GET", "runs/get", {
    right: "read",
    input: ByRun,
    answer: async ({ projectId, input }) => new RawJson(`{"run":${await runs.getRun(projectId, input)}}`),
  });
  scope.add("POST", "runs/update", {
    right: "write",
    input: z.object({ ...named, status: Status.optional(), end_time: Int64.optional(), run_name: OptionalText }),
    answer: async ({ projectId, input }) => {
      const id = readRunId(input.run_id, input.run_uuid);
      await runs.update(projectId, id, input);
      const { info } = JSON.parse(await runs.getRun(projectId, id)) as { info: unknown };
      return { run_info: info };
    },
  });
  scope.add("POST", "runs/delete", {
    right: "write",
    input: ByRun,
    answer: ({ projectId, input }) => runs.remove(projectId, input),
  });
  scope.add("POST", "runs/restore", {
    right: "write",
    input: ByRun,
    answer: ({ projectId, input }) => runs.restore(projectId, input),
  });
  scope.add("POST", "runs/search", {
    right: "read",
    input: z.object({
      experiment_ids: Texts.default([]),
      filter: OptionalText,
      order_by: Texts.optional(),
      run_view_type: ViewType,
      max_results: Int64.optional(),
      page_token: OptionalText,
    }),
    answer: ({ projectId, reader, input }) => search(projectId, input, reader),
  });
  scope.add("GET", "metrics/get-history", {
    right: "read",
    input: z.object({ ...named, metric_key: Text, max_results: Int64.optional(), page_token: OptionalText }),
    answer: ({ projectId, input }) => history(projectId, readRunId(input.run_id, input.run_uuid), input),
  });
  // MLflow's own pages use the second address.
  for (const start of ["/api/2.0", "/ajax-api/2.0"]) {
    scope.add("GET", `${start}/mlflow/metrics/get-history-bulk`, {
      right: "read",
      input: z.object({ run_id: Texts.default([]), metric_key: Text, max_results: Int64.optional() }),
      answer: ({ projectId, input }) => bulkHistory.bulk(projectId, input),
    });
    scope.add("GET", `${start}/mlflow/metrics/get-history-bulk-interval`, {
      right: "read",
      input: z.object({
        ...{ run_ids: Texts, metric_key: Text, start_step: Int64.optional() },
        ...{ end_step: Int64.optional(), max_results: Int64.optional() },
      }),
      answer: ({ projectId, input }) => bulkHistory.interval(projectId, input),
    });
  }
}
