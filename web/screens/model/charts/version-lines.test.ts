import { expect, test } from "vitest";

import type { ModelMetricSeries } from "@miranda/contract/schemas/models/versions.ts";

import { metricCharts } from "./version-lines.ts";

function series(changes: Partial<ModelMetricSeries>): ModelMetricSeries {
  return {
    version: 1,
    name: "loss",
    wob_key: null,
    steps: [0, 1, 2],
    values: [3, 1, 2],
    times: [0, 10, 20],
    count: 3,
    lowest: { step: 1, value: 1 },
    highest: { step: 0, value: 3 },
    last: { step: 2, value: 2 },
    lower_is_better: true,
    ...changes,
  };
}

test("each metric is a chart, each version a line of the same look in all", () => {
  const charts = metricCharts(
    [series({}), series({ version: 2 }), series({ name: "accuracy", version: 2, lower_is_better: false })],
    [1, 2],
    "step",
  );
  expect(charts.map(({ name, lines }) => [name, lines.map(({ label }) => label)])).toEqual([
    ["loss", ["Version 1", "Version 2"]],
    ["accuracy", ["Version 2"]],
  ]);
  expect(charts[1]?.lines[0]?.colour).toBe(charts[0]?.lines[1]?.colour);
});

test("the best and the last value are marked, whatever the axis", () => {
  const marks = (changes: Partial<ModelMetricSeries>, axis: "step" | "time" = "step") =>
    metricCharts([series(changes)], [1], axis)[0]?.lines[0]?.marks;
  expect(marks({})).toEqual([
    { kind: "best", x: 1, y: 1 },
    { kind: "last", x: 2, y: 2 },
  ]);
  expect(marks({ lower_is_better: false }, "time")).toEqual([
    { kind: "best", x: 0, y: 3 },
    { kind: "last", x: 20, y: 2 },
  ]);
  // Gaps are no values, and a metric may have none at all.
  expect(marks({ values: [null, null, null], lowest: null, highest: null })).toEqual([]);
  expect(marks({ values: [3, 1, null] })?.[1]).toEqual({ kind: "last", x: 1, y: 1 });
});
