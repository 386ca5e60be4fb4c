import { metricChart } from "@miranda/contract/limits.ts";

import type { Db } from "../../platform/database/database.ts";
import type { Realtime } from "../realtime/realtime-service.ts";
import type { MetricPoints } from "../tracking/metrics-service.ts";
import { toStoredMetrics } from "./run-metrics-service.ts";
import { safely } from "../../platform/errors/safely.ts";

interface Dependencies {
  db: Db;
  publish: Realtime["publish"];
  report: (error: unknown) => void;
}

/** In milliseconds: a program may log a thousand points a second, each by a call of its own. */
const publishEvery = 250;

/** Publishes what clients of MLflow log in a living run of a workflow, as the agent's own metrics are. */
export function createLiveMetrics({ db, publish, report }: Dependencies) {
  const waiting = new Map<string, Map<string, MetricPoints>>();
  let timer: NodeJS.Timeout | undefined;

  async function send(runId: string, lines: MetricPoints[]): Promise<void> {
    const run = await db
      .selectFrom("runs")
      .innerJoin("jobs", "jobs.id", "runs.job_id")
      .select(["runs.graph_id", "jobs.deployment_id"])
      .where("runs.id", "=", runId)
      .where("runs.ended_at", "is", null)
      .executeTakeFirst();
    const room = run?.deployment_id ?? run?.graph_id;
    if (!room) return;
    const payload = { run_id: runId, metrics: await toStoredMetrics(db, runId, lines) };
    // What a call logs is not for readers.
    publish(room, "run_metrics", payload, run?.deployment_id == null ? payload : null);
  }

  function sendAll(): void {
    timer = undefined;
    const given = [...waiting];
    waiting.clear();
    for (const [runId, lines] of given) send(runId, [...lines.values()]).catch(report);
  }

  return {
    add(runId: string, points: readonly MetricPoints[]): void {
      const lines = waiting.get(runId) ?? new Map<string, MetricPoints>();
      waiting.set(runId, lines);
      for (const { name, node, steps, values, times } of points) {
        const key = `${node ?? 0} ${name}`;
        const line = lines.get(key) ?? { name, node, steps: [], values: [], times: [] };
        // Browsers read the rest when the run has ended.
        if (line.values.length > metricChart.pointsMax * 10) continue;
        lines.set(key, line);
        line.steps = line.steps.concat(steps);
        line.values = line.values.concat(values);
        line.times = line.times.concat(times);
      }
      timer ??= setTimeout(safely(sendAll), publishEvery).unref();
    },
  };
}
