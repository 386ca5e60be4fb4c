import type { ModelsResponse } from "@miranda/contract/schemas/models/models.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildTracking, type MlflowClient, refusalOf } from "../../../testing/mlflow-client.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../../testing/test-server.ts";

interface Version {
  model_version: {
    name: string;
    version: string;
    source: string;
    run_id?: string;
    current_stage: string;
    aliases?: string[];
  };
}
interface Registered {
  registered_model: {
    name: string;
    latest_versions?: { version: string; current_stage: string }[];
    aliases?: object[];
  };
}

let server: TestServer;
let owner: TestAccount;
let mlflow: MlflowClient;
let run: string;
let runId: string;
let projectId: string;

beforeAll(async () => {
  server = await startTestServer();
  ({ owner, mlflow, run, runId, projectId } = await buildTracking(server));
});
afterAll(() => server.close());

const register = (name: string) => mlflow.send("POST", "registered-models/create", { name });
const logModel = async () =>
  (await mlflow.send("POST", "logged-models", { experiment_id: "1", name: "model", source_run_id: run })).json<{
    model: { info: { model_id: string } };
  }>().model.info.model_id;
const addVersion = async (name: string, given: object = {}) =>
  mlflow.send("POST", "model-versions/create", { name, source: `runs:/${run}/model`, run_id: run, ...given });

describe("a registered model", () => {
  it("is created once, in the words of MLflow", async () => {
    const made = await register("Iris");
    expect(made.json()).toEqual({
      registered_model: {
        name: "Iris",
        creation_timestamp: expect.any(Number),
        last_updated_timestamp: expect.any(Number),
      },
    });
    const again = await register("Iris");
    expect(again.status).toBe(400);
    expect(again.json()).toEqual({
      error_code: "RESOURCE_ALREADY_EXISTS",
      message: "Registered Model (name=Iris) already exists.",
    });
  });

  it.for([
    ["a/b", "Invalid model name 'a/b'. Names cannot contain '/' or ':'."],
    ["a:b", "Invalid model name 'a:b'. Names cannot contain '/' or ':'."],
    ["", "Missing value for required parameter 'name'."],
    ["  ", "Missing value for required parameter 'name'."],
    ["n".repeat(500), "'name' exceeds the maximum length of 256 characters"],
  ] as const)("refuses the name %s", async ([name, message]) => {
    expect((await register(name)).json()).toEqual({ error_code: "INVALID_PARAMETER_VALUE", message });
  });

  it("needs a name, and finds no other project's", async () => {
    expect((await mlflow.send("POST", "registered-models/create", {})).text).toContain(
      "Missing value for required parameter 'name'",
    );
    expect(refusalOf(await mlflow.send("GET", "registered-models/get", { name: "Nobody" }))).toEqual([
      404,
      "RESOURCE_DOES_NOT_EXIST",
    ]);
    const other = await buildTracking(server);
    expect(refusalOf(await other.mlflow.send("GET", "registered-models/get", { name: "Iris" }))).toEqual([
      404,
      "RESOURCE_DOES_NOT_EXIST",
    ]);
    expect(
      refusalOf(await (await other.clientOf(owner)).send("GET", "registered-models/get", { name: "Iris" })),
    ).toEqual([404, "RESOURCE_DOES_NOT_EXIST"]);
  });

  it("is renamed, described and tagged", async () => {
    await register("Old");
    await register("Taken");
    expect(
      (await mlflow.send("POST", "registered-models/rename", { name: "Old", new_name: "New" })).json<Registered>()
        .registered_model.name,
    ).toBe("New");
    expect(
      refusalOf(await mlflow.send("POST", "registered-models/rename", { name: "New", new_name: "Taken" })),
    ).toEqual([400, "RESOURCE_ALREADY_EXISTS"]);
    expect(refusalOf(await mlflow.send("POST", "registered-models/rename", { name: "New", new_name: "a/b" }))).toEqual([
      400,
      "INVALID_PARAMETER_VALUE",
    ]);
    await mlflow.send("PATCH", "registered-models/update", { name: "New", description: "What it is" });
    expect(
      (await mlflow.send("POST", "registered-models/set-tag", { name: "New", key: "team", value: "blue" })).json(),
    ).toEqual({});
    await mlflow.send("POST", "registered-models/set-tag", { name: "New", key: "gone", value: "x" });
    await mlflow.send("DELETE", "registered-models/delete-tag", { name: "New", key: "gone" });
    expect((await mlflow.send("GET", "registered-models/get", { name: "New" })).json()).toMatchObject({
      registered_model: { description: "What it is", tags: [{ key: "team", value: "blue" }] },
    });
    const long = await mlflow.send("POST", "registered-models/set-tag", {
      name: "New",
      key: "k".repeat(500),
      value: "x",
    });
    expect(long.json()).toEqual({
      error_code: "INVALID_PARAMETER_VALUE",
      message: "'key' exceeds the maximum length of 250 characters",
    });
  });

  it("is put into the trash when it is deleted, and its name can be used again", async () => {
    await register("Deleted");
    await addVersion("Deleted");
    expect((await mlflow.send("DELETE", "registered-models/delete", { name: "Deleted" })).json()).toEqual({});
    expect(refusalOf(await mlflow.send("GET", "registered-models/get", { name: "Deleted" }))).toEqual([
      404,
      "RESOURCE_DOES_NOT_EXIST",
    ]);
    expect(refusalOf(await mlflow.send("GET", "model-versions/get", { name: "Deleted", version: "1" }))).toEqual([
      404,
      "RESOURCE_DOES_NOT_EXIST",
    ]);
    const trash = (await owner.get(`/api/v3/models/trash?project_id=${projectId}`)).json<{ name: string }[]>();
    expect(trash.map(({ name }) => name)).toContain("Deleted");
    expect((await register("Deleted")).status).toBe(200);
  });
});

describe("a version", () => {
  it("comes of a logged model, as a client registers it, and knows its run", async () => {
    const modelId = await logModel();
    await server.db.insertInto("tracked_params").values({ run_id: runId, key: "depth", value: "3" }).execute();
    await server.db
      .insertInto("metric_summaries")
      .values({
        run_id: runId,
        name: "accuracy",
        position: 1,
        points: 1,
        last_value: 0.75,
        last_step: 0,
        last_time: new Date(),
      })
      .execute();
    const made = await mlflow.send("POST", "model-versions/create", {
      name: "Iris",
      source: `models:/${modelId}`,
      model_id: modelId,
    });
    expect(made.json()).toEqual({
      model_version: {
        name: "Iris",
        version: "1",
        creation_timestamp: expect.any(Number),
        last_updated_timestamp: expect.any(Number),
        user_id: owner.account.username,
        current_stage: "None",
        description: "",
        source: `models:/${modelId}`,
        run_id: run,
        status: "READY",
        run_link: "",
      },
    });
    expect(
      (await mlflow.send("GET", "model-versions/get-download-uri", { name: "Iris", version: "1" })).json(),
    ).toEqual({
      artifact_uri: `mlflow-artifacts:/1/models/${modelId}/artifacts`,
    });
    const tags = (await mlflow.send("GET", `logged-models/${modelId}`)).json<{ model: { info: { tags: object[] } } }>()
      .model.info.tags;
    expect(tags).toEqual([{ key: "mlflow.modelVersions", value: '[{"name":"Iris","version":1}]' }]);
    const row = await server.db
      .selectFrom("model_versions")
      .innerJoin("models", "models.id", "model_id")
      .select(["model_versions.metrics", "params", "tracked_run_id", "author", "models.accuracy", "models.authors"])
      .where("models.name", "=", "Iris")
      .executeTakeFirstOrThrow();
    expect(row).toEqual({
      metrics: { accuracy: 0.75 },
      params: { depth: "3" },
      tracked_run_id: runId,
      author: owner.account.username,
      accuracy: 0.75,
      authors: [owner.account.username],
    });
    const { registered_model } = (
      await mlflow.send("GET", "registered-models/get", { name: "Iris" })
    ).json<Registered>();
    expect(registered_model.latest_versions).toMatchObject([{ version: "1", current_stage: "None" }]);
  });

  it("gets the metrics that its run logs later, when the run ends", async () => {
    await server.db.updateTable("metric_summaries").set({ last_value: 0.9 }).where("run_id", "=", runId).execute();
    await server.db
      .insertInto("metric_summaries")
      .values({
        run_id: runId,
        name: "odd",
        position: 2,
        points: 1,
        last_value: Number.NaN,
        last_step: 0,
        last_time: new Date(),
      })
      .execute();
    await mlflow.send("POST", "runs/update", { run_id: run, status: "FINISHED", end_time: Date.now() });
    const { accuracy } = await server.db
      .selectFrom("models")
      .select("accuracy")
      .where("name", "=", "Iris")
      .executeTakeFirstOrThrow();
    expect(accuracy).toBe(0.9);
  });

  it("keeps the metrics and parameters of its own model when a run that made several ends", async () => {
    await register("Several");
    const { run: other } = await mlflow.post<{ run: { info: { run_id: string } } }>("runs/create", {
      experiment_id: "1",
    });
    const run_id = other.info.run_id;
    for (const [step, value] of [0.7, 0.9, 0.8].entries()) {
      const { model } = await mlflow.post<{ model: { info: { model_id: string } } }>("logged-models", {
        ...{ experiment_id: "1", name: "model", source_run_id: run_id },
        params: [{ key: "depth", value: `${step}` }],
      });
      const { model_id } = model.info;
      await mlflow.post("runs/log-metric", { run_id, model_id, key: "accuracy", value, step, timestamp: step + 1 });
      await addVersion("Several", { source: `models:/${model_id}`, run_id });
    }
    await mlflow.post("runs/log-metric", { run_id, key: "late", value: 3, timestamp: 5 });
    await mlflow.post("runs/log-parameter", { run_id, key: "depth", value: "9" });
    await mlflow.post("runs/update", { run_id, status: "FINISHED", end_time: Date.now() });
    const models = (await owner.get("/api/v3/models/")).json<ModelsResponse>().json;
    const model = models.find(({ name }) => name === "Several");
    expect(model?.best).toEqual({ name: "accuracy", value: 0.9, number: 2 });
    const versions = await server.db
      .selectFrom("model_versions")
      .select(["metrics", "params"])
      .where("model_id", "=", model?.id ?? "")
      .orderBy("number")
      .execute();
    expect(versions).toEqual([
      { metrics: { accuracy: 0.7, late: 3 }, params: { depth: "0" } },
      { metrics: { accuracy: 0.9, late: 3 }, params: { depth: "1" } },
      { metrics: { accuracy: 0.8, late: 3 }, params: { depth: "2" } },
    ]);
  });

  it("gets a number of its own when many clients create one at once", async () => {
    await register("Raced");
    const answers = await Promise.all(Array.from({ length: 12 }, () => addVersion("Raced")));
    const numbers = answers.map((answer) => Number(answer.json<Version>().model_version.version));
    expect(numbers.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 12 }, (_, at) => at + 1));
  });

  it("comes of a run's folder, of another version and of an alias", async () => {
    await register("Sources");
    const stored = `mlflow-artifacts:/1/${run}/artifacts/model`;
    const first = (await addVersion("Sources", { source: stored })).json<Version>().model_version;
    expect(first).toMatchObject({ source: stored, run_id: run });
    await addVersion("Sources");
    expect(
      (await mlflow.send("GET", "model-versions/get-download-uri", { name: "Sources", version: "2" })).json(),
    ).toEqual({
      artifact_uri: stored,
    });
    await mlflow.send("POST", "registered-models/alias", { name: "Sources", alias: "champion", version: "1" });
    for (const source of ["models:/Sources/2", "models:/Sources@champion"]) {
      const made = await mlflow.send("POST", "model-versions/create", { name: "Sources", source });
      expect(made.json<Version>().model_version).toMatchObject({ source: stored, run_id: run });
    }
    const bucket = await mlflow.send("POST", "model-versions/create", { name: "Sources", source: "s3://bucket/model" });
    expect(bucket.json<Version>().model_version.source).toBe("s3://bucket/model");
  });

  it.for([
    ["a file of the server", { source: "/etc/passwd" }, 400],
    ["a file by its address", { source: "file:///etc/passwd" }, 400],
    ["a drive", { source: "C:\\models" }, 400],
    ["a bucket's path that climbs", { source: "s3://bucket/../other" }, 400],
    ["an encoded path that climbs", { source: "s3://bucket/%252e%252e/other" }, 400],
    ["a stored path that climbs", { source: "mlflow-artifacts:/1/../x" }, 400],
    ["a stored path of nothing", { source: "mlflow-artifacts:/other" }, 400],
    ["no source", { source: "" }, 400],
    ["a run that is not there", { run_id: "0".repeat(32), source: "s3://bucket/x" }, 404],
    ["a logged model that is not there", { source: `models:/m-${"0".repeat(32)}` }, 404],
    [
      "another logged model than it says",
      { source: `models:/m-${"0".repeat(32)}`, model_id: `m-${"1".repeat(32)}` },
      400,
    ],
    ["a version that is not there", { source: "models:/Iris/99" }, 404],
    ["a key of 500 characters", { tags: [{ key: "k".repeat(500), value: "x" }] }, 400],
    ["a prompt", { tags: [{ key: "mlflow.prompt.is_prompt", value: "true" }] }, 400],
  ] as const)("is refused from %s", async ([_what, given, status]) => {
    const answer = await addVersion("Iris", given);
    expect([answer.status, answer.json()]).toEqual([
      status,
      {
        error_code: status === 404 ? "RESOURCE_DOES_NOT_EXIST" : "INVALID_PARAMETER_VALUE",
        message: expect.any(String),
      },
    ]);
  });

  it("is refused for a model that is not there, and for a version that is no number", async () => {
    expect(refusalOf(await addVersion("Nobody"))).toEqual([404, "RESOURCE_DOES_NOT_EXIST"]);
    const wrong = await mlflow.send("GET", "model-versions/get", { name: "Iris", version: "one" });
    expect(wrong.json()).toEqual({
      error_code: "INVALID_PARAMETER_VALUE",
      message: "Parameter 'version' must be an integer, got 'one'.",
    });
    expect(refusalOf(await mlflow.send("GET", "model-versions/get", { name: "Iris", version: "99" }))).toEqual([
      404,
      "RESOURCE_DOES_NOT_EXIST",
    ]);
  });

  it("moves through stages, and archives others", async () => {
    await register("Staged");
    await addVersion("Staged");
    await addVersion("Staged");
    const move = (version: string, stage: string, archive_existing_versions = false) =>
      mlflow.send("POST", "model-versions/transition-stage", {
        name: "Staged",
        version,
        stage,
        archive_existing_versions,
      });
    expect((await move("1", "production")).json<Version>().model_version.current_stage).toBe("Production");
    await move("2", "Production", true);
    expect(
      (await mlflow.send("GET", "model-versions/get", { name: "Staged", version: "1" })).json<Version>().model_version
        .current_stage,
    ).toBe("Archived");
    expect(refusalOf(await move("1", "Nowhere"))).toEqual([400, "INVALID_PARAMETER_VALUE"]);
    expect(refusalOf(await move("1", "Archived", true))).toEqual([400, "INVALID_PARAMETER_VALUE"]);
    const latest = await mlflow.send("POST", "registered-models/get-latest-versions", {
      name: "Staged",
      stages: ["Production"],
    });
    expect(latest.json<{ model_versions: object[] }>().model_versions).toMatchObject([{ version: "2" }]);
    expect(
      (await mlflow.send("GET", "registered-models/get-latest-versions", { name: "Staged" })).json<{
        model_versions: object[];
      }>().model_versions,
    ).toHaveLength(2);
  });

  it("is described, tagged and deleted, with its aliases", async () => {
    await register("Changed");
    await addVersion("Changed");
    await addVersion("Changed");
    const one = { name: "Changed", version: "2" };
    await mlflow.send("PATCH", "model-versions/update", { ...one, description: "better" });
    await mlflow.send("POST", "model-versions/set-tag", { ...one, key: "a", value: "1" });
    await mlflow.send("POST", "model-versions/set-tag", { ...one, key: "b", value: "2" });
    await mlflow.send("DELETE", "model-versions/delete-tag", { ...one, key: "b" });
    await mlflow.send("POST", "registered-models/alias", { ...one, alias: "champion" });
    expect((await mlflow.send("GET", "model-versions/get", one)).json()).toMatchObject({
      model_version: { description: "better", tags: [{ key: "a", value: "1" }], aliases: ["champion"] },
    });
    expect((await mlflow.send("DELETE", "model-versions/delete", one)).json()).toEqual({});
    expect(refusalOf(await mlflow.send("DELETE", "model-versions/delete", one))).toEqual([
      404,
      "RESOURCE_DOES_NOT_EXIST",
    ]);
    const { registered_model } = (
      await mlflow.send("GET", "registered-models/get", { name: "Changed" })
    ).json<Registered>();
    expect([registered_model.aliases, registered_model.latest_versions?.map(({ version }) => version)]).toEqual([
      undefined,
      ["1"],
    ]);
    // A number is never used again.
    expect((await addVersion("Changed")).json<Version>().model_version.version).toBe("3");
  });
});
