import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { newId } from "../../platform/crypto.ts";
import { MlflowClient, refusalOf } from "../../testing/mlflow-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { giveToken, Workbench } from "../../testing/workbench.ts";

// What node code could do with the token that its agent uses for tracking, if it ever got it.

describe("the token of a session, used for tracking", () => {
  let server: TestServer;
  let bench: Workbench;
  let node: MlflowClient;
  let runId: string;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  async function begin(number: number): Promise<string> {
    const id = newId();
    await sql`insert into runs (id, graph_id, job_id, session_tag, session_name, number, command, mode, graph_revision,
        account_id, first_line) values (${id}, ${bench.graphId}, ${bench.jobId}, 1, '', ${number}, ${number}, 'all', 1,
        ${bench.owner.account.id}, 1)`.execute(server.db);
    return id;
  }
  const end = (id: string) =>
    server.db.updateTable("runs").set({ ended_at: new Date() }).where("id", "=", id).execute();
  const hex = (id: string): string => id.replaceAll("-", "");
  const log = (client: MlflowClient, id: string) =>
    client.send("POST", "runs/log-metric", { run_id: hex(id), key: "loss", value: 1, timestamp: 1 });

  beforeEach(async () => {
    bench = await Workbench.open(server);
    await bench.store("local", {}, new Date());
    node = new MlflowClient(server, bench.projectId, `job.${bench.jobId}.t`);
    runId = await begin(1);
  });

  it("writes to the run that the session carries out, and to runs below it", async () => {
    expect((await log(node, runId)).status).toBe(200);
    type Made = { run: { info: { run_id: string; experiment_id: string }; data: { tags: object[] } } };
    const { run } = await node.post<Made>("runs/create", { experiment_id: "0" });
    expect(run.info).toMatchObject({ run_id: hex(runId), experiment_id: "0" });
    const below = (await node.post<Made>("runs/create", { experiment_id: "0" })).run;
    expect(below.info.run_id).not.toBe(hex(runId));
    expect(below.data.tags).toContainEqual({ key: "mlflow.parentRunId", value: hex(runId) });
    const path = `/api/2.0/mlflow-artifacts/artifacts/0/${below.info.run_id}/artifacts/a.txt`;
    expect((await node.send("PUT", path, "hello")).status).toBe(200);
  });

  it("sends whole files, because its agent leads to no address of a part", async () => {
    await log(node, runId);
    const folder = `0/${hex(runId)}/artifacts`;
    const answer = await node.sendFile("POST", `mpu/create/${folder}`, { path: "a", num_parts: 1 });
    expect([...refusalOf(answer), answer.text]).toEqual([
      ...[501, "NOT_IMPLEMENTED"],
      // Clients send the whole file when they read these words.
      expect.stringContaining("Multipart upload is not supported for the current artifact repository"),
    ]);
    expect(refusalOf(await node.putPart(`${"0".repeat(64)}/1`, "x"))).toEqual([501, "NOT_IMPLEMENTED"]);
  });

  it("writes to a model that names no run, because it is one of its own run", async () => {
    const given = { experiment_id: "0", name: "own" };
    type Made = { model: { info: { model_id: string; source_run_id: string } } };
    const { info } = (await node.post<Made>("logged-models", given)).model;
    expect(info.source_run_id).toBe(hex(runId));
    const path = `/api/2.0/mlflow-artifacts/artifacts/0/models/${info.model_id}/artifacts/MLmodel`;
    expect((await node.send("PUT", path, "hello")).status).toBe(200);
    const ended = await node.send("PATCH", `logged-models/${info.model_id}`, { status: "LOGGED_MODEL_READY" });
    expect(ended.status).toBe(200);
  });

  it("writes to no other run and no other folder, and deletes nothing", async () => {
    const person = new MlflowClient(server, bench.projectId, await giveToken(bench.owner));
    const { run } = await person.post<{ run: { info: { run_id: string } } }>("runs/create", { experiment_id: "0" });
    const theirs = { run_id: run.info.run_id };
    const { model } = await person.post<{ model: { info: { model_id: string } } }>("logged-models", {
      experiment_id: "0",
      name: "theirs",
    });
    await person.post("registered-models/create", { name: "theirs" });
    const files = "/api/2.0/mlflow-artifacts/artifacts";
    const tries: [string, string, unknown][] = [
      ["POST", "runs/log-metric", { ...theirs, key: "x", value: 1, timestamp: 1 }],
      ["POST", "runs/log-metric", { run_uuid: theirs.run_id, key: "x", value: 1, timestamp: 1 }],
      ["POST", "runs/log-batch", { ...theirs, params: [{ key: "x", value: "1" }] }],
      ["POST", "runs/set-tag", { ...theirs, key: "x", value: "1" }],
      ["POST", "runs/update", { ...theirs, status: "FAILED" }],
      ["POST", "runs/delete", theirs],
      ["POST", "experiments/delete", { experiment_id: "0" }],
      ["POST", "experiments/update", { experiment_id: "0", new_name: "mine" }],
      ["DELETE", "registered-models/delete", { name: "theirs" }],
      ["POST", "registered-models/rename", { name: "theirs", new_name: "mine" }],
      ["PATCH", `logged-models/${model.info.model_id}`, { status: "LOGGED_MODEL_READY" }],
      ["DELETE", `logged-models/${model.info.model_id}`, {}],
      ["POST", "logged-models", { experiment_id: "0", name: "x", source_run_id: theirs.run_id }],
      // Its own run beside another's: one name must not let the other in.
      ["POST", "logged-models", { experiment_id: "0", name: "x", run_id: hex(runId), source_run_id: theirs.run_id }],
      ["POST", "runs/set-tag", { run_id: theirs.run_id, run_uuid: hex(runId), key: "x", value: "1" }],
      ["POST", "runs/set-tag", { run_id: hex(runId), run_uuid: theirs.run_id, key: "x", value: "1" }],
      ["PUT", `${files}/0/${theirs.run_id}/artifacts/a.txt`, "x"],
      ["PUT", `${files}/0/models/${model.info.model_id}/artifacts/a.txt`, "x"],
      ["PUT", `${files}/anywhere.txt`, "x"],
      ["DELETE", `${files}/0/${theirs.run_id}/artifacts`, {}],
    ];
    for (const [method, path, body] of tries)
      expect([method, path, (await node.refused(method, path, body)).slice(0, 2)]).toEqual([
        method,
        path,
        [403, "PERMISSION_DENIED"],
      ]);
    expect(await node.get("runs/get", theirs)).toHaveProperty("run");
  });

  it("ends with its run, and with its session", async () => {
    const earlier = runId;
    await end(earlier);
    expect((await log(node, earlier)).status).toBe(403);
    expect(await node.refused("POST", "runs/create", { experiment_id: "0" })).toEqual([
      403,
      "PERMISSION_DENIED",
      expect.any(String),
    ]);
    const later = await begin(2);
    expect((await log(node, earlier)).status).toBe(403);
    expect((await log(node, later)).status).toBe(200);
    await server.db.updateTable("jobs").set({ state: "EXITED" }).where("id", "=", bench.jobId).execute();
    expect((await node.refused("GET", "experiments/search"))[0]).toBe(401);
  });

  it("opens no other project, and nothing but tracking", async () => {
    const other = await Workbench.open(server);
    const there = new MlflowClient(server, other.projectId, `job.${bench.jobId}.t`);
    expect(await there.refused("GET", "experiments/search")).toEqual([
      404,
      "RESOURCE_DOES_NOT_EXIST",
      expect.any(String),
    ]);
    const wrong = new MlflowClient(server, bench.projectId, `job.${bench.jobId}.u`);
    expect(await wrong.refused("GET", "experiments/search")).toEqual([401, "UNAUTHENTICATED", expect.any(String)]);
    const caller = server.anonymous();
    caller.headers = { authorization: `Bearer job.${bench.jobId}.t` };
    for (const path of ["/api/v3/projects/", "/api/v3/models/", `/api/v3/graphs/${bench.graphId}/graph`])
      expect((await caller.get(path)).status).toBe(403);
    // Its agent has the bare token.
    expect((await caller.get(`/api/runner/${bench.jobId}/graph`)).status).toBe(401);
  });

  it("is not believed about its node unless an agent says so", async () => {
    const caller = server.anonymous();
    const path = `/mlflow/${bench.projectId}/api/2.0/mlflow/runs/create`;
    const post = (token: string) =>
      caller.send("POST", path, "{}", {
        "content-type": "application/json",
        authorization: `Bearer ${token}`,
        "x-miranda-node": "77",
      });
    expect((await post(await giveToken(bench.owner))).status).toBe(200);
    const rows = await server.db
      .selectFrom("tracked_runs")
      .select(["node_id", "run_id"])
      .where("project_id", "=", bench.projectId)
      .execute();
    expect(rows).toEqual([{ node_id: null, run_id: null }]);
  });

  it("is accepted by any host name, as agents call the server", async () => {
    const caller = server.anonymous();
    const headers = { host: "miranda", authorization: `Bearer job.${bench.jobId}.t` };
    const answer = await caller.send(
      "GET",
      `/mlflow/${bench.projectId}/api/2.0/mlflow/experiments/search`,
      undefined,
      headers,
    );
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });
});
