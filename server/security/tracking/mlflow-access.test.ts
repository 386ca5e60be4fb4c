import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { MlflowClient, openTracking } from "../../testing/mlflow-client.ts";
import { giveToken } from "../../testing/workbench.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let owner: TestAccount;
let viewer: TestAccount;
let stranger: TestAccount;
let mine: Awaited<ReturnType<typeof openTracking>>;
let theirs: Awaited<ReturnType<typeof openTracking>>;
let runId: string;

const reads = [
  ["GET", "experiments/get", { experiment_id: "0" }],
  ["GET", "experiments/get-by-name", { experiment_name: "Default" }],
  ["POST", "experiments/search", {}],
  ["POST", "runs/search", { experiment_ids: ["0"] }],
  ["GET", "/api/3.0/mlflow/server-info", {}],
] as const;
const writes = [
  ["experiments/create", { name: "new" }],
  ["experiments/update", { experiment_id: "0", new_name: "other" }],
  ["experiments/delete", { experiment_id: "0" }],
  ["experiments/restore", { experiment_id: "0" }],
  ["experiments/set-experiment-tag", { experiment_id: "0", key: "a", value: "b" }],
  ["experiments/delete-experiment-tag", { experiment_id: "0", key: "a" }],
  ["runs/create", { experiment_id: "0" }],
  ...["update", "delete", "restore", "log-batch", "log-inputs", "outputs"].map((call) => [`runs/${call}`, {}] as const),
  ["runs/log-metric", { key: "a", value: 1 }],
  ["runs/log-parameter", { key: "a", value: "1" }],
  ["runs/set-tag", { key: "a", value: "1" }],
  ["runs/delete-tag", { key: "a" }],
  ["runs/log-model", { model_json: "{}" }],
] as const;

beforeAll(async () => {
  server = await startTestServer();
  // The first account is an administrator.
  await server.signUp();
  [owner, viewer, stranger] = [await server.signUp(), await server.signUp(), await server.signUp()];
  mine = await openTracking(server, owner);
  theirs = await openTracking(server, stranger);
  const form = { user: viewer.account.username, role: "viewer" };
  await owner.post(`/api/v3/projects/${mine.projectId}/members`, form);
  const { run } = await mine.client.post<{ run: { info: { run_id: string } } }>("runs/create", { experiment_id: "0" });
  runId = run.info.run_id;
});
afterAll(() => server.close());

const refusalOf = (refused: [number, string, string]) => refused.slice(0, 2);

describe("the tracking server of a project", () => {
  it.for([
    ["nobody", undefined],
    ["a wrong token", "mir_wrong"],
    ["an empty token", ""],
    ["a token of a session that does not exist", "job.018f0000-0000-7000-8000-000000000000.secret"],
  ] as const)("answers 401 to %s, whether or not there is a project", async ([_who, token]) => {
    for (const projectId of [mine.projectId, "018f0000-0000-7000-8000-000000000000", "nonsense"]) {
      const client = new MlflowClient(server, projectId, token);
      for (const [method, path, body] of reads)
        expect(refusalOf(await client.refused(method, path, body))).toEqual([401, "UNAUTHENTICATED"]);
      expect(refusalOf(await client.refused("POST", "runs/create", {}))).toEqual([401, "UNAUTHENTICATED"]);
      expect(refusalOf(await client.refused("GET", "no/such/call"))).toEqual([401, "UNAUTHENTICATED"]);
    }
  });

  it("answers 404 to the token of who may not read the project, as to no project", async () => {
    for (const projectId of [mine.projectId, "018f0000-0000-7000-8000-000000000000", "nonsense"]) {
      const client = new MlflowClient(server, projectId, theirs.token);
      for (const [method, path, body] of reads)
        expect(refusalOf(await client.refused(method, path, body))).toEqual([404, "RESOURCE_DOES_NOT_EXIST"]);
      for (const [path, body] of writes)
        expect(refusalOf(await client.refused("POST", path, { run_id: runId, ...body }))).toEqual([
          404,
          "RESOURCE_DOES_NOT_EXIST",
        ]);
    }
  });

  it("lets viewers read, and refuses what they write with 403", async () => {
    const client = new MlflowClient(server, mine.projectId, await giveToken(viewer));
    for (const [method, path, body] of reads) expect((await client.send(method, path, body)).status).toBe(200);
    expect((await client.send("GET", "runs/get", { run_id: runId })).status).toBe(200);
    for (const [path, body] of writes)
      expect(refusalOf(await client.refused("POST", path, { run_id: runId, ...body }))).toEqual([
        403,
        "PERMISSION_DENIED",
      ]);
  });

  it("refuses a token that was revoked", async () => {
    const token = await giveToken(owner);
    const client = new MlflowClient(server, mine.projectId, token);
    await client.get("experiments/get", { experiment_id: "0" });
    const listed = (await owner.get("/api/v3/auth/access_tokens")).json<{ id: string; hint: string }[]>();
    const { id } = listed.find(({ hint }) => token.endsWith(hint)) ?? expect.fail("It is listed.");
    expect((await owner.delete(`/api/v3/auth/access_tokens/${id}`)).status).toBe(200);
    expect(refusalOf(await client.refused("GET", "experiments/get", { experiment_id: "0" }))).toEqual([
      401,
      "UNAUTHENTICATED",
    ]);
  });

  it("takes no cookie: a page of another site could send one", async () => {
    const answer = await owner.get(`${mine.client.base}/api/2.0/mlflow/experiments/get?experiment_id=0`);
    expect([answer.status, answer.json()]).toMatchObject([401, { error_code: "UNAUTHENTICATED" }]);
  });

  it("knows nothing of another project's runs", async () => {
    for (const [method, path, body] of [
      ["GET", "runs/get", {}],
      ["GET", "metrics/get-history", { metric_key: "a" }],
      ["POST", "runs/update", { status: "FINISHED" }],
      ["POST", "runs/delete", {}],
      ["POST", "runs/log-metric", { key: "a", value: 1 }],
      ["POST", "runs/log-batch", { tags: [{ key: "a", value: "b" }] }],
      ["POST", "runs/log-inputs", {}],
      ["POST", "runs/log-model", { model_json: '{"artifact_path":1,"flavors":1,"utc_time_created":1,"run_id":1}' }],
    ] as const)
      expect(await theirs.client.refused(method, path, { run_id: runId, ...body })).toEqual([
        404,
        "RESOURCE_DOES_NOT_EXIST",
        `Run with id=${runId} not found`,
      ]);
    const found = await theirs.client.post<{ runs: unknown[] }>("runs/search", {
      experiment_ids: ["0"],
      filter: `run_id = '${runId}'`,
    });
    expect(found.runs).toEqual([]);
  });

  it("says where its pages are, and who it is, to everybody", async () => {
    const anybody = server.anonymous();
    expect((await anybody.get(`${mine.client.base}/health`)).text).toBe("OK");
    expect((await anybody.get(`${mine.client.base}/version`)).text).toMatch(/^3\./);
    const led = await anybody.get(`${mine.client.base}/`);
    expect([led.status, led.headers.get("location")]).toEqual([302, `/designer/tracking/${mine.projectId}`]);
    expect((await anybody.get("/mlflow/nonsense/")).status).toBe(404);
    expect((await anybody.get("/mlflow/%2F%2Fevil.example/")).status).toBe(404);
  });

  it("answers unknown calls in MLflow's JSON", async () => {
    for (const [method, path] of [
      ["GET", "no/such/call"],
      ["POST", "runs/explode"],
      ["DELETE", "runs/get"],
      ["POST", "/api/2.0/preview/mlflow/runs/create"],
    ] as const)
      expect(refusalOf(await mine.client.refused(method, path))).toEqual([404, "ENDPOINT_NOT_FOUND"]);
  });
});
