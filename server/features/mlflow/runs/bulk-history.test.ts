import { afterAll, beforeAll, expect, it } from "vitest";

import { type MlflowClient, openTracking } from "../../../testing/mlflow-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";

interface Points {
  metrics: { key: string; value: number | string; timestamp: number; step: number; run_id: string }[];
}

const began = 1_794_771_757_529;
const bulk = "/ajax-api/2.0/mlflow/metrics/get-history-bulk";
const interval = "metrics/get-history-bulk-interval";

let server: TestServer;
let client: MlflowClient;
let first: string;
let second: string;
beforeAll(async () => {
  server = await startTestServer();
  ({ client } = await openTracking(server, await server.signUp()));
  [first = "", second = ""] = [await newRun(), await newRun()].toSorted();
  await log(
    first,
    Array.from({ length: 1_000 }, (_, step) => [step, step]),
  );
  await log(second, [
    [5, Number.NaN],
    [1, 1],
    [3, 3],
  ]);
});
afterAll(() => server.close());

async function newRun(): Promise<string> {
  const body = { experiment_id: "0", start_time: began };
  return (await client.post<{ run: { info: { run_id: string } } }>("runs/create", body)).run.info.run_id;
}
const log = (run_id: string, points: [step: number, value: number][]) =>
  client.post("runs/log-batch", {
    run_id,
    metrics: points.map(([step, value], at) => ({
      ...{ key: "loss", step, timestamp: began + at },
      value: Number.isNaN(value) ? "NaN" : value,
    })),
  });
const ask = async (path: string, query: Record<string, string | string[]>) =>
  (await client.send("GET", path, { metric_key: "loss", ...query })).json<Points>().metrics;
const steps = (points: Points["metrics"]) => points.map(({ step }) => step);

it("returns the points of several runs by run and time, and leaves out runs that do not exist", async () => {
  const all = await ask(bulk, { run_id: [second, first, "0".repeat(32), "nonsense"] });
  expect(all).toHaveLength(1_003);
  expect(all[0]).toEqual({ key: "loss", value: 0, timestamp: began, step: 0, run_id: first });
  expect(all.slice(1_000)).toEqual([
    { key: "loss", value: "NaN", timestamp: began, step: 5, run_id: second },
    { key: "loss", value: 1, timestamp: began + 1, step: 1, run_id: second },
    { key: "loss", value: 3, timestamp: began + 2, step: 3, run_id: second },
  ]);
  expect(await ask("metrics/get-history-bulk", { run_id: [first, second], max_results: "2" })).toEqual(all.slice(0, 2));
});

it("returns a limited number of points of each run, evenly over its steps, with the first and the last", async () => {
  const some = await ask(interval, { run_ids: [first, second], max_results: "5" });
  expect(steps(some)).toEqual([0, 200, 400, 600, 999, 1, 3, 5]);
  expect(some.at(-1)).toMatchObject({ value: "NaN", run_id: second });
  expect(steps(await ask(interval, { run_ids: first, start_step: "10", end_step: "12" }))).toEqual([10, 11, 12]);
  expect(steps(await ask(interval, { run_ids: first, max_results: "1" }))).toEqual([999]);
});

it("keeps the extremes of a long metric", async () => {
  const long = await newRun();
  for (let at = 0; at < 210; at += 1)
    await log(
      long,
      Array.from({ length: 1_000 }, (_, place) => [at * 1_000 + place, at === 100 && place === 500 ? 99 : 0]),
    );
  const points = await ask(interval, { run_ids: long });
  expect(points.length).toBeLessThanOrEqual(2_500);
  expect(points.map(({ value }) => value)).toContain(99);
});

it.each([
  [bulk, {}, "GetMetricHistoryBulk request must specify at least one run_id."],
  [bulk, { run_id: Array.from({ length: 101 }, () => "a") }, "cannot specify more than 100 run_ids"],
  [interval, {}, "Missing value for required parameter 'run_ids'"],
  [interval, { run_ids: Array.from({ length: 101 }, () => "a") }, "must specify at most 100 run_ids"],
  [interval, { run_ids: "a", max_results: "2501" }, "max_results must be between 1 and 2500."],
  [interval, { run_ids: "a", start_step: "1" }, "both must be specified"],
  [interval, { run_ids: "a", start_step: "2", end_step: "1" }, "end_step must be greater than start_step"],
  [interval, { run_ids: "a", start_step: "x", end_step: "1" }, "for parameter 'start_step'"],
] as const)("refuses %s %j", async (path, query, words) => {
  expect(await client.refused("GET", path, { metric_key: "loss", ...query })).toEqual([
    400,
    "INVALID_PARAMETER_VALUE",
    expect.stringContaining(words),
  ]);
});

it("refuses a run that does not exist", async () => {
  const asked = await client.refused("GET", interval, { metric_key: "loss", run_ids: "0".repeat(32) });
  expect(asked.slice(0, 2)).toEqual([404, "RESOURCE_DOES_NOT_EXIST"]);
});
