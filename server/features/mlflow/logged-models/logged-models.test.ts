import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildTracking, type MlflowClient, refusalOf } from "../../../testing/mlflow-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";

interface Logged {
  model: {
    info: { model_id: string; status: string; artifact_uri: string; tags?: { key: string; value: string }[] };
    data: { params?: { key: string; value: string }[]; metrics?: object[] };
  };
}

let server: TestServer;
let mlflow: MlflowClient;
let run: string;
let runId: string;
let projectId: string;

beforeAll(async () => {
  server = await startTestServer();
  ({ mlflow, run, runId, projectId } = await buildTracking(server));
});
afterAll(() => server.close());

const create = async (given: object = {}) =>
  (await mlflow.send("POST", "logged-models", { experiment_id: "1", name: "model", ...given })).json<Logged>().model;

describe("a logged model", () => {
  it("is created, filled and finished as a client does it", async () => {
    const made = (
      await mlflow.send("POST", "logged-models", {
        experiment_id: "1",
        name: "model",
        source_run_id: run,
        params: [
          { key: "tol", value: "0.0001" },
          { key: "C", value: "1.0" },
        ],
        tags: [{ key: "mlflow.user", value: "root" }],
      })
    ).json<Logged>().model;
    const { model_id } = made.info;
    expect(model_id).toMatch(/^m-[0-9a-f]{32}$/);
    expect(made).toEqual({
      info: {
        model_id,
        experiment_id: "1",
        name: "model",
        creation_timestamp_ms: expect.any(Number),
        last_updated_timestamp_ms: expect.any(Number),
        artifact_uri: `mlflow-artifacts:/1/models/${model_id}/artifacts`,
        status: "LOGGED_MODEL_PENDING",
        model_type: "",
        source_run_id: run,
        tags: [{ key: "mlflow.user", value: "root" }],
      },
      data: {
        params: [
          { key: "C", value: "1.0" },
          { key: "tol", value: "0.0001" },
        ],
      },
    });
    expect((await mlflow.putFile(`1/models/${model_id}/artifacts/MLmodel`, "flavors:")).status).toBe(200);
    expect((await mlflow.putFile(`1/models/${model_id}/artifacts/data/x.bin`, "x")).status).toBe(200);
    const ended = await mlflow.send("PATCH", `logged-models/${model_id}`, { model_id, status: "LOGGED_MODEL_READY" });
    expect(ended.json<Logged>().model.info.status).toBe("LOGGED_MODEL_READY");
    expect((await mlflow.send("GET", `logged-models/${model_id}/artifacts/directories`)).json()).toEqual({
      root_uri: `mlflow-artifacts:/1/models/${model_id}/artifacts`,
      files: [
        { path: "MLmodel", is_dir: false, file_size: 8 },
        { path: "data", is_dir: true },
      ],
    });
    const below = await mlflow.send("GET", `logged-models/${model_id}/artifacts/directories`, {
      artifact_directory_path: "data",
    });
    expect(below.json<{ files: object[] }>().files).toEqual([{ path: "data/x.bin", is_dir: false, file_size: 1 }]);
  });

  it("has tags that change and parameters that do not", async () => {
    const { model_id: id } = (await create()).info;
    expect(
      (await mlflow.send("PATCH", `logged-models/${id}/tags`, { tags: [{ key: "a", value: "1" }] })).json(),
    ).toEqual({});
    await mlflow.send("PATCH", `logged-models/${id}/tags`, {
      tags: [
        { key: "a", value: "2" },
        { key: "b/c", value: "3" },
      ],
    });
    await mlflow.send("POST", `logged-models/${id}/params`, { params: [{ key: "p", value: "1" }] });
    await mlflow.send("POST", `logged-models/${id}/params`, { params: [{ key: "p", value: "1" }] });
    const changed = await mlflow.send("POST", `logged-models/${id}/params`, { params: [{ key: "p", value: "2" }] });
    expect(refusalOf(changed)).toEqual([400, "INVALID_PARAMETER_VALUE"]);
    expect(changed.text).toContain("Changing param values is not allowed");
    expect((await mlflow.send("DELETE", `logged-models/${id}/tags/${encodeURIComponent("b/c")}`)).status).toBe(200);
    expect(refusalOf(await mlflow.send("DELETE", `logged-models/${id}/tags/none`))).toEqual([
      404,
      "RESOURCE_DOES_NOT_EXIST",
    ]);
    const { model } = (await mlflow.send("GET", `logged-models/${id}`)).json<Logged>();
    expect([model.info.tags, model.data.params]).toEqual([[{ key: "a", value: "2" }], [{ key: "p", value: "1" }]]);
  });

  it("is gone when it is deleted", async () => {
    const { model_id: id } = (await create()).info;
    expect((await mlflow.send("DELETE", `logged-models/${id}`)).json()).toEqual({});
    expect(refusalOf(await mlflow.send("GET", `logged-models/${id}`))).toEqual([404, "RESOURCE_DOES_NOT_EXIST"]);
  });

  it("shows metrics with NaN and infinities", async () => {
    const { model_id } = (await create()).info;
    const logged_at = new Date(1_794_771_774_127);
    for (const [name, value] of [
      ["a", Number.NaN],
      ["b", -Infinity],
      ["c", 0.5],
    ] as const)
      await server.db
        .insertInto("logged_model_metrics")
        .values({ model_id, run_id: runId, name, value, step: 3, logged_at })
        .execute();
    const { model } = (await mlflow.send("GET", `logged-models/${model_id}`)).json<Logged>();
    const common = { timestamp: 1_794_771_774_127, step: 3, model_id, run_id: run };
    expect(model.data.metrics).toEqual([
      { key: "a", value: "NaN", ...common },
      { key: "b", value: "-Infinity", ...common },
      { key: "c", value: 0.5, ...common },
    ]);
  });

  it.for([
    ["a name with a slash", { name: "a/b" }, [400, "INVALID_PARAMETER_VALUE"]],
    ["a name with a colon", { name: "a:b" }, [400, "INVALID_PARAMETER_VALUE"]],
    ["a key of 500 characters", { params: [{ key: "k".repeat(500), value: "" }] }, [400, "INVALID_PARAMETER_VALUE"]],
    ["an experiment that is not there", { experiment_id: "77" }, [404, "RESOURCE_DOES_NOT_EXIST"]],
    ["an experiment that is no number", { experiment_id: "x" }, [404, "RESOURCE_DOES_NOT_EXIST"]],
    ["a run that is not there", { source_run_id: "0".repeat(32) }, [404, "RESOURCE_DOES_NOT_EXIST"]],
    ["tags that are no list", { tags: "x" }, [400, "INVALID_PARAMETER_VALUE"]],
    [
      "two megabytes of parameters",
      { params: Array.from({ length: 100 }, (_, at) => ({ key: `k${at}`, value: "v".repeat(15_000) })) },
      [413, "RESOURCE_LIMIT_EXCEEDED"],
    ],
  ] as const)("refuses %s", async ([_what, given, refusal]) => {
    expect(refusalOf(await mlflow.send("POST", "logged-models", { experiment_id: "1", ...given }))).toEqual(refusal);
  });

  it("refuses an unknown id and an unknown status", async () => {
    expect(refusalOf(await mlflow.send("GET", "logged-models/m-nope"))).toEqual([404, "RESOURCE_DOES_NOT_EXIST"]);
    const { model_id: id } = (await create()).info;
    expect(refusalOf(await mlflow.send("PATCH", `logged-models/${id}`, { status: "DONE" }))).toEqual([
      400,
      "INVALID_PARAMETER_VALUE",
    ]);
  });
});

describe("a search for logged models", () => {
  const search = async (given: object) =>
    (await mlflow.send("POST", "logged-models/search", { experiment_ids: ["7"], ...given })).json<{
      models?: { info: { name: string } }[];
      next_page_token?: string;
    }>();
  const names = async (given: object) => ((await search(given)).models ?? []).map(({ info }) => info.name);

  beforeAll(async () => {
    await server.db.insertInto("experiments").values({ project_id: projectId, number: 7, name: "searched" }).execute();
    for (const [at, name] of ["one", "two", "three"].entries()) {
      const { model_id } = (
        await create({
          experiment_id: "7",
          name,
          params: [{ key: "depth", value: String(at) }],
          tags: [{ key: "team", value: at === 1 ? "blue" : "red" }],
        })
      ).info;
      await server.db
        .insertInto("logged_model_metrics")
        .values({
          model_id,
          run_id: runId,
          name: "acc",
          value: at / 10,
          step: 0,
          logged_at: new Date(),
          dataset_name: "iris",
          dataset_digest: "d1",
        })
        .execute();
    }
  });

  it("filters, orders and pages", async () => {
    expect(await names({})).toEqual(["three", "two", "one"]);
    expect(await names({ filter: "name = 'two'" })).toEqual(["two"]);
    expect(
      (await mlflow.send("POST", "logged-models/search", { experiment_ids: ["7"], filter: "name = 'd.json'" })).json(),
    ).toEqual({});
    expect(await names({ filter: "tags.team = 'red' AND params.depth = '2'" })).toEqual(["three"]);
    expect(await names({ filter: "metrics.acc >= 0.1" })).toEqual(["three", "two"]);
    expect(await names({ filter: "metrics.acc >= 0", datasets: [{ dataset_name: "other" }] })).toEqual([]);
    expect(
      await names({ filter: "metrics.acc >= 0.2", datasets: [{ dataset_name: "iris", dataset_digest: "d1" }] }),
    ).toEqual(["three"]);
    expect(await names({ order_by: [{ field_name: "metrics.acc", ascending: true }] })).toEqual([
      "one",
      "two",
      "three",
    ]);
    expect(await names({ order_by: [{ field_name: "name" }] })).toEqual(["one", "three", "two"]);
    expect(await names({ filter: "status = 'PENDING'" })).toHaveLength(3);
    expect(await names({ filter: `source_run_id = '${run}'` })).toEqual([]);
    const first = await search({ max_results: 2 });
    expect(first.models).toHaveLength(2);
    expect(await names({ max_results: 2, page_token: first.next_page_token })).toEqual(["one"]);
    expect(await names({ experiment_ids: ["8", "x"] })).toEqual([]);
  });

  it.for(["name = ", "name LIKE", "wrong.key = 'a'", "metrics.acc > 'x'", "name = 'a' OR name = 'b'", "' or 1=1 --"])(
    "refuses the filter %s",
    async (filter) => {
      expect(refusalOf(await mlflow.send("POST", "logged-models/search", { experiment_ids: ["7"], filter }))).toEqual([
        400,
        "INVALID_PARAMETER_VALUE",
      ]);
    },
  );
});
