import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type MlflowClient, openTracking } from "../../../testing/mlflow-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";

let server: TestServer;
let client: MlflowClient;
beforeAll(async () => {
  server = await startTestServer();
  ({ client } = await openTracking(server, await server.signUp()));
});
afterAll(() => server.close());

interface Pair {
  key: string;
  value: string;
}
interface Metric {
  key: string;
  value: number | string;
  timestamp: number;
  step: number;
}
interface Run {
  info: Record<string, unknown> & { run_id: string };
  data: { metrics?: Metric[]; params?: Pair[]; tags: Pair[] };
  inputs: { dataset_inputs?: unknown[] };
  outputs: object;
}
interface History {
  metrics: Metric[];
  next_page_token?: string;
}

const began = 1_794_771_757_529;

async function newRun(more = {}): Promise<string> {
  const { run } = await client.post<{ run: Run }>("runs/create", { experiment_id: "0", start_time: began, ...more });
  return run.info.run_id;
}
const read = async (run_id: string) => (await client.get<{ run: Run }>("runs/get", { run_id, run_uuid: run_id })).run;
const history = (run_id: string, metric_key: string, more = {}) =>
  client.get<History>("metrics/get-history", { run_id, metric_key, ...more });
const metric = (key: string, value: unknown, step: unknown = 0, timestamp: unknown = began) => ({
  key,
  value,
  step,
  timestamp,
});

describe("a run", () => {
  it("is made as the traced client makes it", async () => {
    const tags = [
      { key: "mlflow.user", value: "root" },
      { key: "mlflow.source.name", value: "train.py" },
    ];
    const body = { experiment_id: "0", user_id: "root", start_time: String(began), tags, unknown_field: 1 };
    const { run } = await client.post<{ run: Run }>("runs/create", body);
    const { run_id } = run.info;
    expect(run_id).toMatch(/^[0-9a-f]{32}$/);
    expect(run.info).toEqual({
      run_uuid: run_id,
      run_id,
      experiment_id: "0",
      run_name: expect.stringMatching(/^[a-z]+-[a-z]+-\d+$/) as string,
      user_id: "root",
      status: "RUNNING",
      start_time: began,
      artifact_uri: `mlflow-artifacts:/0/${run_id}/artifacts`,
      lifecycle_stage: "active",
    });
    expect(run.data.tags).toContainEqual({ key: "mlflow.runName", value: run.info["run_name"] });
    expect(run.data.tags).toContainEqual({ key: "mlflow.user", value: "root" });
  });

  it("is updated, renamed, deleted and restored", async () => {
    const run_id = await newRun({ run_name: "first" });
    const ended = { run_uuid: run_id, run_id, status: "FINISHED", end_time: began + 5, run_name: "second" };
    expect(await client.post("runs/update", ended)).toMatchObject({
      run_info: { run_id, status: "FINISHED", end_time: began + 5, run_name: "second" },
    });
    expect((await read(run_id)).data.tags).toContainEqual({ key: "mlflow.runName", value: "second" });
    await client.post("runs/set-tag", { run_id, key: "mlflow.runName", value: "third" });
    expect((await read(run_id)).info["run_name"]).toBe("third");
    await client.post("runs/update", { run_id, status: "RUNNING" });
    expect((await read(run_id)).info["end_time"]).toBeUndefined();
    await client.post("runs/delete", { run_id });
    expect((await read(run_id)).info["lifecycle_stage"]).toBe("deleted");
    expect(await client.refused("POST", "runs/log-metric", { run_id, ...metric("a", 1) })).toEqual([
      400,
      "INVALID_PARAMETER_VALUE",
      `The run ${run_id} must be in the 'active' state. Current state is deleted.`,
    ]);
    await client.post("runs/restore", { run_id });
    await client.post("runs/log-metric", { run_id, ...metric("a", 1) });
  });

  it("has a name that its tag says too, and refuses two that differ", async () => {
    const tags = [{ key: "mlflow.runName", value: "tagged" }];
    expect((await read(await newRun({ tags }))).info["run_name"]).toBe("tagged");
    const refused = await client.refused("POST", "runs/create", { experiment_id: "0", run_name: "other", tags });
    expect(refused.slice(0, 2)).toEqual([400, "INVALID_PARAMETER_VALUE"]);
  });

  it.for([
    ["an unknown run", { run_id: "0".repeat(32) }, 404, `Run with id=${"0".repeat(32)} not found`],
    ["a word", { run_id: "nonsense" }, 404, "Run with id=nonsense not found"],
    ["a path", { run_id: "../../etc" }, 400, "Invalid run ID: '../../etc'"],
    ["nothing", {}, 400, "Missing value for required parameter 'run_id'"],
  ] as const)("that is %s is refused", async ([_what, query, status, words]) => {
    const refused = await client.refused("GET", "runs/get", query);
    expect(refused[0]).toBe(status);
    expect(refused[2]).toContain(words);
  });
});

describe("metrics", () => {
  it("keep NaN and infinities, as numbers and as texts", async () => {
    const run_id = await newRun();
    const metrics = [metric("x", "NaN"), metric("y", "Infinity"), metric("z", "-Infinity"), metric("n", "1.5e3")];
    await client.post("runs/log-batch", { run_id, metrics });
    const { data } = await read(run_id);
    expect(data.metrics?.map(({ key, value }) => [key, value])).toEqual([
      ["x", "NaN"],
      ["y", "Infinity"],
      ["z", "-Infinity"],
      ["n", 1500],
    ]);
    expect((await history(run_id, "y")).metrics).toEqual([{ key: "y", value: "Infinity", timestamp: began, step: 0 }]);
    const summary = await server.db
      .selectFrom("metric_summaries")
      .select(["name", "min_value", "max_value"])
      .where("name", "=", "y")
      .execute();
    expect(summary).toEqual([{ name: "y", min_value: null, max_value: null }]);
  });

  it("have as last value the one of the highest step, then of the latest time", async () => {
    const run_id = await newRun();
    await client.post("runs/log-metric", { run_id, ...metric("loss", 0.1, 9) });
    await client.post("runs/log-metric", { run_id, ...metric("loss", 0.7, 3, began + 10) });
    await client.post("runs/log-metric", { run_id, ...metric("loss", 0.2, 9, began + 20) });
    expect((await read(run_id)).data.metrics).toEqual([{ key: "loss", value: 0.2, timestamp: began + 20, step: 9 }]);
    const [row] = await server.db.selectFrom("metric_summaries").selectAll().where("name", "=", "loss").execute();
    expect(row).toMatchObject({ points: 3, min_value: 0.1, min_step: 9, max_value: 0.7, max_step: 3 });
  });

  it("at a repeated step are kept, and the same point sent again is not doubled", async () => {
    const run_id = await newRun();
    const points = [metric("m", 1, 5), metric("m", 2, 5), metric("m", 2, 5), metric("m", 1, 5, began + 1)];
    await client.post("runs/log-batch", { run_id, metrics: points });
    await client.post("runs/log-batch", { run_id, metrics: points });
    await client.post("runs/log-metric", { run_id, ...metric("m", "NaN", 5) });
    await client.post("runs/log-metric", { run_id, ...metric("m", "NaN", 5) });
    const values = (await history(run_id, "m")).metrics.map(({ value, timestamp }) => [value, timestamp - began]);
    expect(values).toEqual([
      [1, 0],
      [2, 0],
      [1, 1],
      ["NaN", 0],
    ]);
  });

  it("come in pages of their history, across rows", async () => {
    const run_id = await newRun();
    for (let batch = 0; batch < 3; batch++) {
      const metrics = Array.from({ length: 700 }, (_, at) => metric("long", batch * 700 + at, batch * 700 + at));
      await client.post("runs/log-batch", { run_id, metrics });
    }
    const seen: number[] = [];
    let page_token = "";
    do {
      const page: History = await history(run_id, "long", { max_results: "801", ...(page_token && { page_token }) });
      seen.push(...page.metrics.map(({ step }) => step));
      page_token = page.next_page_token ?? "";
    } while (page_token !== "");
    expect(seen).toEqual(Array.from({ length: 2_100 }, (_, at) => at));
    expect((await history(run_id, "never logged")).metrics).toEqual([]);
  });

  it("of two clients at once are all stored", async () => {
    const run_id = await newRun();
    await Promise.all(
      Array.from({ length: 20 }, (_, at) => client.post("runs/log-metric", { run_id, ...metric("race", at, at) })),
    );
    expect((await history(run_id, "race")).metrics.map(({ step }) => step).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, at) => at),
    );
  });

  it.for([
    ["a key of 500 characters", metric("k".repeat(500), 1), "exceeds the maximum length of 250 characters"],
    ["a key that climbs", metric("../../up", 1), "must not resolve to other names"],
    ["a key with a sign", metric("a;b", 1), "Names may only contain alphanumerics"],
    ["a value that is no number", metric("a", "much"), "Invalid value"],
    ["no value", metric("a", undefined), "Missing value for required parameter"],
    ["a time in the year 275760", metric("a", 1, 0, 8.64e15), "it is no time in milliseconds"],
    ["a step that is half", metric("a", 1, 0.5), "Invalid value"],
    ["a step beyond all numbers", metric("a", 1, "9223372036854775807"), "Metric steps must be whole numbers"],
  ] as const)("refuse %s, and store nothing of the call", async ([_what, wrong, words]) => {
    const run_id = await newRun();
    const batch = { run_id, metrics: [metric("fine", 1), wrong], params: [{ key: "p", value: "1" }] };
    const refused = await client.refused("POST", "runs/log-batch", batch);
    expect(refused.slice(0, 2)).toEqual([400, "INVALID_PARAMETER_VALUE"]);
    expect(refused[2]).toContain(words);
    const { data } = await read(run_id);
    expect([data.metrics, data.params]).toEqual([undefined, undefined]);
  });
});

describe("parameters", () => {
  it("may be logged again as they are, and not changed, in MLflow's words", async () => {
    const run_id = await newRun();
    for (let twice = 0; twice < 2; twice++) await client.post("runs/log-parameter", { run_id, key: "a", value: "1" });
    expect(await client.refused("POST", "runs/log-parameter", { run_id, key: "a", value: "2" })).toEqual([
      400,
      "INVALID_PARAMETER_VALUE",
      `Changing param values is not allowed. Param with key='a' was already logged with value='1' for run ID='${run_id}'. Attempted logging new value '2'.`,
    ]);
    const params = [
      { key: "b", value: "1" },
      { key: "a", value: "3" },
    ];
    expect((await client.refused("POST", "runs/log-batch", { run_id, params }))[2]).toBe(
      `Changing param values is not allowed. Params were already logged='[{'key': 'a', 'old_value': '1', 'new_value': '3'}]' for run ID='${run_id}'.`,
    );
    expect((await read(run_id)).data.params).toEqual([{ key: "a", value: "1" }]);
    const twice = [params[0], params[0]];
    expect((await client.refused("POST", "runs/log-batch", { run_id, params: twice }))[2]).toMatch(
      /^Duplicate parameter keys have been submitted: \['b'\]/,
    );
  });

  it("are cut off where MLflow cuts them off", async () => {
    const run_id = await newRun();
    await client.post("runs/log-parameter", { run_id, key: "long", value: "x".repeat(7_000) });
    expect((await read(run_id)).data.params?.[0]?.value).toHaveLength(6_000);
  });
});

describe("a batch", () => {
  it.for([
    ["metrics", 1_001, 1_000],
    ["params", 101, 100],
    ["tags", 101, 100],
  ] as const)("can have so many %s and no more", async ([name, count, most]) => {
    const run_id = await newRun();
    const list = Array.from({ length: count }, (_, at) => ({
      key: `k${at}`,
      value: name === "metrics" ? at : `${at}`,
    }));
    const body = { run_id, [name]: list };
    expect(await client.refused("POST", "runs/log-batch", body)).toEqual([
      400,
      "INVALID_PARAMETER_VALUE",
      `A batch logging request can contain at most ${most} ${name}. Got ${count} ${name}. Please split up ${name} across multiple requests and try again.`,
    ]);
    await client.post("runs/log-batch", { run_id, [name]: list.slice(0, most) });
  });

  it("of more than a megabyte is refused before it is read", async () => {
    const run_id = await newRun();
    const body = { run_id, params: [{ key: "a", value: "x".repeat(1_100_000) }] };
    expect((await client.refused("POST", "runs/log-batch", body)).slice(0, 2)).toEqual([
      413,
      "RESOURCE_LIMIT_EXCEEDED",
    ]);
  });
});

describe("tags, inputs and outputs", () => {
  it("tags are set, replaced and deleted", async () => {
    const run_id = await newRun();
    await client.post("runs/set-tag", { run_id, key: "t", value: "v" });
    await client.post("runs/set-tag", { run_id, key: "t", value: "w" });
    expect((await read(run_id)).data.tags).toContainEqual({ key: "t", value: "w" });
    await client.post("runs/delete-tag", { run_id, key: "t" });
    expect((await client.refused("POST", "runs/delete-tag", { run_id, key: "t" }))[2]).toBe(
      `No tag with name: t in run with id ${run_id}`,
    );
  });

  it("datasets are logged once, with all their tags", async () => {
    const run_id = await newRun();
    const dataset = { name: "dataset", digest: "2bf3ace3", source_type: "code", source: "{}", schema: "{}" };
    const input = (value: string) => ({ dataset, tags: [{ key: "mlflow.data.context", value }] });
    await client.post("runs/log-inputs", { run_id, datasets: [input("train"), input("train")] });
    await client.post("runs/log-inputs", { run_id, datasets: [input("eval")] });
    expect((await read(run_id)).inputs.dataset_inputs).toEqual([input("eval")]);
    const long = { dataset: { ...dataset, source: "x".repeat(70_000) } };
    expect((await client.refused("POST", "runs/log-inputs", { run_id, datasets: [long] }))[0]).toBe(400);
  });

  it("outputs name models of the same project", async () => {
    const run_id = await newRun();
    const models = [{ model_id: `m-${"1".repeat(32)}`, step: 0 }];
    expect((await client.refused("POST", "runs/outputs", { run_id, models })).slice(0, 2)).toEqual([
      404,
      "RESOURCE_DOES_NOT_EXIST",
    ]);
  });

  it("clients of MLflow 2 keep the list of their models in a tag", async () => {
    const run_id = await newRun();
    const model = { artifact_path: "model", flavors: {}, utc_time_created: "now", run_id };
    for (const artifact_path of ["one", "two"])
      await client.post("runs/log-model", { run_id, model_json: JSON.stringify({ ...model, artifact_path }) });
    const tag = (await read(run_id)).data.tags.find(({ key }) => key === "mlflow.log-model.history")?.value ?? "";
    expect((JSON.parse(tag) as { artifact_path: string }[]).map((one) => one.artifact_path)).toEqual(["one", "two"]);
    for (const model_json of ["{", "[]", "{}", '"text"'])
      expect((await client.refused("POST", "runs/log-model", { run_id, model_json }))[0]).toBe(400);
  });
});
