import { runArgs } from "@miranda/contract/command-args.ts";
import type { Lineage, MadeModels, Reproductions } from "@miranda/contract/schemas/models/lineage.ts";
import type { ModelsResponse } from "@miranda/contract/schemas/models/models.ts";
import type { ModelVersionPage } from "@miranda/contract/schemas/models/versions.ts";
import type { RunDetails } from "@miranda/contract/schemas/runs.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

import { readRun, versionedRun } from "../../../testing/runs.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { addVersion } from "../../../testing/models/models.ts";
import { script, Workbench } from "../../../testing/workbench.ts";

let server: TestServer;
let bench: Workbench;
let run: RunDetails;
let source: number;
let maker: number;
let model: string;
beforeAll(async () => {
  server = await startTestServer();
  await server.signUp();
  bench = await Workbench.open(server);
  source = await bench.node(
    [
      "from miranda import *",
      "class Read(Node):",
      "    rows = Transmitter()",
      "    table = Field(control=File())",
      "    def run(self):",
      "        self.rows.send(3)",
      "",
    ].join("\n"),
    "Read",
  );
  maker = await bench.node(
    [
      "from miranda import *",
      "class Train(Node):",
      "    rows = Receiver()",
      "    def run(self):",
      "        for step in range(3):",
      "            log_metric('loss', 3 - step, step)",
      "        log_model('tides', metrics={'accuracy': 0.5})",
      "",
    ].join("\n"),
    "Train",
  );
  await bench.node(script("print('nothing to do with it')"), "Other");
  await bench.edge(source, "rows", maker, "rows");
  await bench.owner.post(`/api/v3/objects/${maker}/commits`, { message: "Train on tides" });
});
afterAll(async () => {
  bench.close();
  await server.close();
});

const at = (path: string) => `/api/v3/models/${model}${path}`;
const lineage = async (number: number) => (await bench.owner.get(at(`/versions/${number}/lineage`))).json<Lineage>();

it("makes a version when a node logs a model", async () => {
  await bench.start();
  await bench.run();
  run = await versionedRun(bench);
  const { json } = (await bench.owner.get("/api/v3/models/?id=tides")).json<ModelsResponse>();
  model = json[0]?.id ?? "";
  expect(json).toMatchObject([{ latest_version: 1, graph: { id: bench.graphId } }]);
});

it("leads from a version to its run, workflow, nodes, commits and packages, each with an address", async () => {
  const { nodes, edges, cost, python } = await lineage(1);
  const byKind = Map.groupBy(nodes, ({ kind }) => kind);
  const labels = (kind: Lineage["nodes"][number]["kind"]) => byKind.get(kind)?.map(({ label }) => label);
  expect(labels("model")).toEqual(["tides 1"]);
  expect(labels("run")).toEqual([`Run ${run.number}`]);
  expect(labels("workflow")).toEqual(["Flow"]);
  expect(labels("node")?.toSorted()).toEqual(["Read", "Train"]);
  expect(byKind.get("commit")).toMatchObject([{ label: "Commit 1", detail: "Train on tides" }]);
  // The last use of a run is booked a moment after its end.
  const sameCost = async () => (await lineage(1)).cost === (await readRun(bench, run.id)).cost;
  await expect.poll(sameCost).toBe(true);
  expect([typeof cost, python]).toEqual(["number", run.python]);
  const graph = `/designer/projects/${bench.projectId}/graphs/${bench.graphId}`;
  expect(Object.fromEntries(nodes.map(({ id, address }) => [id, address]))).toMatchObject({
    run: `/designer/runs/${run.id}`,
    workflow: `${graph}/history?version=${run.version?.number ?? run.version?.id}`,
    [`node ${maker}`]: `${graph}/code/${maker}`,
  });
  for (const edge of [
    { from: "run", to: "model" },
    { from: "workflow", to: "run" },
    { from: `node ${source}`, to: `node ${maker}` },
    { from: `node ${maker}`, to: "workflow" },
  ])
    expect(edges).toContainEqual(edge);
});

it("names what made a version in the list of versions", async () => {
  const { versions } = (await bench.owner.get(at("/versions"))).json<ModelVersionPage>();
  expect(versions[0]).toMatchObject({
    number: 1,
    run: { id: run.id, state: "done", exists: true },
    workflow: { id: bench.graphId, name: "Flow", version: { id: run.version?.id } },
    node: { wob_key: maker, name: "Train" },
    metrics: { accuracy: 0.5, loss: 1 },
    tracked_run: { id: run.id.replaceAll("-", "") },
  });
});

it("leads back from the run, the version of the workflow and the node to the model", async () => {
  for (const path of [
    `/api/v3/runs/${run.id}/models`,
    `/api/v3/graphs/${bench.graphId}/versions/${run.version?.id}/models`,
    `/api/v3/objects/${maker}/models`,
  ]) {
    const made = (await bench.owner.get(path)).json<MadeModels>();
    expect(made).toMatchObject([{ model_id: model, name: "tides", number: 1, metrics: { accuracy: 0.5 } }]);
  }
  expect((await bench.owner.get(`/api/v3/objects/${source}/models`)).json()).toEqual([]);
});

it("names uploaded files by their hash, logged data by its digest, and kept results by their key", async () => {
  const form = new FormData();
  form.set("file", new File(["a,b\n1,2\n"], "tides.csv", { type: "text/csv" }));
  const kept = await bench.owner.send("POST", `/api/v3/objects/${source}/files`, form);
  const value = { attribute_value: kept.text };
  expect((await bench.owner.patch(`/api/v3/objects/${source}/attributes/table`, value)).status).toBe(200);
  await bench.run();
  run = await versionedRun(bench);
  await server.db
    .insertInto("tracked_inputs")
    .values({ run_id: run.id, name: "iris", digest: "abc123", source_type: "http", source: "https://example.org" })
    .execute();
  const { nodes, edges } = await lineage(2);
  const file = nodes.find(({ kind }) => kind === "file");
  expect(file).toMatchObject({ label: "tides.csv", detail: expect.stringMatching(/^[0-9a-f]{12}$/) as string });
  expect(edges).toContainEqual({ from: file?.id, to: `node ${source}` });
  const data = nodes.find(({ kind }) => kind === "dataset");
  expect(data).toMatchObject({ label: "iris", detail: "abc123" });
  expect(edges).toContainEqual({ from: data?.id, to: `node ${maker}` });
});

it("runs exactly that again, and says whether the result differs", async () => {
  const before = (await bench.owner.get(at("/versions/1/reproductions"))).json<Reproductions>();
  expect(before).toMatchObject({ possible: true, reason: "", graph: { id: bench.graphId }, made: [] });
  await bench.until("run", runArgs({ mode: "changed", repeats: before.run_id ?? "" }), "READY");
  await versionedRun(bench);
  const after = (await bench.owner.get(at("/versions/1/reproductions"))).json<Reproductions>();
  expect(after.made).toMatchObject([{ number: 3, differs: [], state: "done" }]);
});

it("knows only what a client told of a version from outside", async () => {
  const { modelId } = await addVersion(server.db, bench.projectId, "outside", { metrics: { loss: 1 } });
  const answer = (await bench.owner.get(`/api/v3/models/${modelId}/versions/1/lineage`)).json<Lineage>();
  expect(answer.nodes.map(({ kind }) => kind)).toEqual(["model", "run"]);
  const again = (await bench.owner.get(`/api/v3/models/${modelId}/versions/1/reproductions`)).json<Reproductions>();
  expect(again).toMatchObject({ possible: false, reason: /^No run of a workflow/.exec(again.reason)?.input ?? "—" });
});

it("keeps what it knows when the run is deleted", async () => {
  const [first] = (await bench.owner.get(at("/versions/1/reproductions"))).json<Reproductions>().made;
  const { run_id } = (await bench.owner.get(at("/versions/1/reproductions"))).json<Reproductions>();
  expect(first).toBeDefined();
  expect((await bench.owner.delete(`/api/v3/runs/${run_id}`)).status).toBe(200);
  const { nodes, cost } = await lineage(1);
  expect(nodes.find(({ kind }) => kind === "run")).toMatchObject({ gone: true, address: null });
  expect(cost).toBeNull();
  const again = (await bench.owner.get(at("/versions/1/reproductions"))).json<Reproductions>();
  expect(again).toMatchObject({ possible: false, reason: "The run that made this version was removed." });
});
