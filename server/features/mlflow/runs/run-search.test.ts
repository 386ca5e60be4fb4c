import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type MlflowClient, openTracking } from "../../../testing/mlflow-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";

let server: TestServer;
let client: MlflowClient;
let experiment: string;
const began = 1_794_771_757_000;

interface Page {
  runs: { info: { run_name: string; run_id: string }; data: { metrics?: { key: string; value: number }[] } }[];
  next_page_token?: string;
}

/** Six runs. The one called `bare` has nothing. */
beforeAll(async () => {
  server = await startTestServer();
  ({ client } = await openTracking(server, await server.signUp()));
  ({ experiment_id: experiment } = await client.post<{ experiment_id: string }>("experiments/create", { name: "one" }));
  for (const [at, loss] of [0.5, 0.25, "NaN", "Infinity", 0.75].entries()) {
    const run_id = await create(`run ${at}`, at);
    await client.post("runs/log-batch", {
      run_id,
      metrics: [
        { key: "loss", value: 99, timestamp: began, step: 0 },
        { key: "loss", value: loss, timestamp: began, step: 1 },
        { key: "val loss/1", value: at, timestamp: began, step: 0 },
      ],
      params: [{ key: "model", value: at % 2 === 0 ? "Forest" : "Linear" }],
      tags: [{ key: "team name", value: "Tides" }],
    });
    if (at === 1) await client.post("runs/update", { run_id, status: "FINISHED", end_time: began + 60_000 });
    const dataset = { name: `data ${at}`, digest: `d${at}`, source_type: "code", source: "{}" };
    const tags = [{ key: "mlflow.data.context", value: at < 2 ? "train" : "eval" }];
    await client.post("runs/log-inputs", { run_id, datasets: [{ dataset, tags }] });
  }
  await create("bare", 9);
});
afterAll(() => server.close());

async function create(run_name: string, minute: number): Promise<string> {
  const start_time = began + minute * 60_000;
  const body = { experiment_id: experiment, run_name, start_time, user_id: "ada" };
  return (await client.post<{ run: Page["runs"][number] }>("runs/create", body)).run.info.run_id;
}

const search = (body: object = {}) => client.post<Page>("runs/search", { experiment_ids: [experiment], ...body });
const names = async (body?: object) => (await search(body)).runs.map(({ info }) => info.run_name);
const found = async (filter: string) => (await names({ filter })).toSorted();

describe("a search over runs", () => {
  it("has the newest first, with everything that they logged", async () => {
    expect(await names()).toEqual(["bare", "run 4", "run 3", "run 2", "run 1", "run 0"]);
    const [first] = (await search({ filter: "run_name = 'run 1'" })).runs;
    expect(first?.data.metrics).toContainEqual({ key: "loss", value: 0.25, timestamp: began, step: 1 });
    expect(await names({ experiment_ids: [] })).toEqual([]);
    expect(await names({ experiment_ids: ["0", "999", "x"] })).toEqual([]);
  });

  it.for([
    ["metrics.loss < 0.6", ["run 0", "run 1"]],
    ["metrics.loss >= 0.25 AND metrics.loss <= 0.5", ["run 0", "run 1"]],
    ["metrics.loss > 1e3", ["run 3"]],
    ["metrics.loss != 0.5", ["run 1", "run 3", "run 4"]],
    ['metrics."val loss/1" = 4', ["run 4"]],
    ["metric.`val loss/1` < 1", ["run 0"]],
    ["params.model = 'Forest' and tags.`team name` LIKE 'Ti%'", ["run 0", "run 2", "run 4"]],
    ['params.model != "Forest"', ["run 1", "run 3"]],
    ["param.model ILIKE '%FOR%'", ["run 0", "run 2", "run 4"]],
    ["params.model IS NULL", ["bare"]],
    ["params.model IS NOT NULL", ["run 0", "run 1", "run 2", "run 3", "run 4"]],
    ["params.model IN ('Linear', 'Other')", ["run 1", "run 3"]],
    ["params.model NOT IN ('Linear')", ["run 0", "run 2", "run 4"]],
    ["attributes.status = 'FINISHED'", ["run 1"]],
    [`attributes.start_time > ${began + 200_000}`, ["bare", "run 4"]],
    [`end_time <= ${began + 60_000}`, ["run 1"]],
    ["user_id = 'ada' AND run_name LIKE 'run _'", ["run 0", "run 1", "run 2", "run 3", "run 4"]],
    ["attributes.`run name` = 'bare'", ["bare"]],
    ["tags.mlflow.runName = 'run 2'", ["run 2"]],
    ["datasets.name = 'data 3'", ["run 3"]],
    ["dataset.context = 'train'", ["run 0", "run 1"]],
    ["dataset.digest IN ('d0', 'd4')", ["run 0", "run 4"]],
    ["params.model = 'it''s'", []],
    ["params.model LIKE '100\\%'", []],
    ["run_id = 'no such run'", []],
  ] as const)("finds by %s", async ([filter, expected]) => {
    expect(await found(filter)).toEqual(expected);
  });

  it("finds by the ids of runs", async () => {
    const ids = (await search({ filter: "metrics.loss < 0.6" })).runs.map(({ info }) => info.run_id);
    expect(await found(`run_id IN (${ids.map((id) => `'${id}'`).join(",")})`)).toEqual(["run 0", "run 1"]);
    expect(await found(`attributes.run_id = '${ids[0]}'`)).toHaveLength(1);
    expect(await found(`attributes.run_id != '${ids[0]}'`)).toHaveLength(5);
    expect(await found(`artifact_uri LIKE '%${ids[0]}%'`)).toHaveLength(1);
  });

  it("orders by metrics, with what is no number after numbers and runs without one last", async () => {
    expect(await names({ order_by: ["metrics.loss ASC"] })).toEqual([
      "run 1",
      "run 0",
      "run 4",
      "run 3",
      "run 2",
      "bare",
    ]);
    expect(await names({ order_by: ["metrics.loss DESC"] })).toEqual([
      "run 3",
      "run 4",
      "run 0",
      "run 1",
      "run 2",
      "bare",
    ]);
    expect(await names({ order_by: ["params.model", "attributes.start_time ASC"] })).toEqual([
      "run 0",
      "run 2",
      "run 4",
      "run 1",
      "run 3",
      "bare",
    ]);
    expect(await names({ order_by: ["tags.mlflow.runName desc"], max_results: 1 })).toEqual(["run 4"]);
  });

  it("goes from page to page", async () => {
    const seen: string[] = [];
    let page_token: string | undefined;
    do {
      const page: Page = await search({ max_results: 4, order_by: ["metrics.loss"], page_token });
      seen.push(...page.runs.map(({ info }) => info.run_name));
      page_token = page.next_page_token;
    } while (page_token !== undefined);
    expect(seen).toEqual(["run 1", "run 0", "run 4", "run 3", "run 2", "bare"]);
  });

  it("shows deleted runs only when asked", async () => {
    const run_id = await create("gone", 20);
    await client.post("runs/delete", { run_id });
    expect(await names()).not.toContain("gone");
    expect(await names({ run_view_type: "DELETED_ONLY" })).toEqual(["gone"]);
    expect(await names({ run_view_type: "ALL" })).toContain("gone");
  });
});

describe("a filter that does not parse is refused:", () => {
  it.for([
    ["metrics.loss", /Invalid clause/],
    ["metrics.loss >", /Invalid clause/],
    ["metrics.loss > 'much'", /Expected numeric value type for metric 'loss'/],
    ["metrics.loss LIKE '1'", /Invalid comparator 'LIKE'/],
    ["params.model = Forest", /Expected a quoted string value for param/],
    ["params.model > '1'", /Invalid comparator '>'/],
    ["params.model = 'a", /A quote is not closed/],
    ["params.model = 'a' OR params.model = 'b'", /Invalid clause/],
    ["params.model = 'a' params.model = 'b'", /Invalid clause/],
    ["params.model IN 'a'", /Invalid clause/],
    ["params.model IN ('a' 'b')", /Invalid clause/],
    ["params.model IN (1)", /While parsing a list/],
    ["colour.red = 'a'", /Invalid entity type 'colour'/],
    ["attributes.colour = 'a'", /Invalid attribute key 'colour'/],
    ["attributes.constructor = 'a'", /Invalid attribute key 'constructor'/],
    ["dataset.size = 'a'", /Invalid dataset key 'size'/],
    ["start_time > 'today'", /Expected numeric value/],
    ["metrics. > 1", /names nothing/],
    ["'; drop table tracked_runs; --", /A quote is not closed|Invalid clause/],
    ["=", /Invalid clause/],
    ["AND", /Invalid/],
    ["(".repeat(10_000), /Invalid clause/],
    ["x".repeat(20_001), /at most 20000 characters/],
    [Array.from({ length: 102 }, () => "metrics.a > 1").join(" AND "), /at most 100 comparisons/],
  ] as const)("%s", async ([filter, words]) => {
    const [status, code, message] = await client.refused("POST", "runs/search", { experiment_ids: ["0"], filter });
    expect([status, code]).toEqual([400, "INVALID_PARAMETER_VALUE"]);
    expect(message).toMatch(words);
  });

  it.for([
    ["colour.red", /Invalid entity type/],
    ["dataset.name", /datasets have no order/],
    [" DESC", /Invalid/],
    ["metrics.a b c DESC; drop", null],
  ] as const)("ordered by %s", async ([order, words]) => {
    const answer = await client.send("POST", "runs/search", { experiment_ids: ["0"], order_by: [order] });
    if (words === null) expect(answer.status).toBe(200);
    else
      expect([answer.status, answer.json<{ message: string }>().message]).toEqual([400, expect.stringMatching(words)]);
  });
});
