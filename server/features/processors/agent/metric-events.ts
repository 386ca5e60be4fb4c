import type { RunnerEvent } from "@miranda/contract/protocol/agent.ts";

import { storableText } from "../../../platform/database/storable-json.ts";
import type { MetricPoints } from "../../runs/run-metrics-service.ts";

/** The nodes that metrics name. */
export function metricNodes(events: readonly RunnerEvent[]): number[] {
  return events.flatMap((event) => (event.kind === "metrics" && event.node !== null ? [event.node] : []));
}

/** The new points of a run, by metric. Those of other runs and of nodes of other workflows are left out. */
export function metricsOf(
  run: number,
  events: readonly RunnerEvent[],
  own: Pick<ReadonlySet<number>, "has">,
): MetricPoints[] {
  const lines = new Map<string, MetricPoints>();
  for (const event of events) {
    if (event.kind !== "metrics" || event.run !== run || (event.node !== null && !own.has(event.node))) continue;
    for (const [given, step, value, time] of event.points) {
      const name = storableText(given);
      const key = `${event.node ?? 0} ${name}`;
      const line = lines.get(key) ?? { name, node: event.node, steps: [], values: [], times: [] };
      lines.set(key, line);
      line.steps.push(step);
      line.values.push(value);
      line.times.push(time);
    }
  }
  return [...lines.values()];
}
