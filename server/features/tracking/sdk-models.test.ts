import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { forge, script, Workbench } from "../../testing/workbench.ts";

describe("models that the SDK logs", { timeout: 60_000 }, () => {
  let server: TestServer;
  let bench: Workbench;
  let node: number;
  const lines = [
    "import os",
    "os.makedirs('out/below', exist_ok=True)",
    "open('out/below/a b.txt', 'w').write('hello')",
    "log_model('tides', {'loss': 0.5}, b'weights', params={'rate': 0.1}, files=['out'])",
    "log_model('tides', {'loss': 0.25}, files={'config.json': b'{}'})",
    "log_model('plain')",
    "log_metric('loss', 0.75)",
  ];
  beforeAll(async () => {
    server = await startTestServer();
    bench = await Workbench.open(server);
    node = await bench.node(script(...lines));
    await bench.start();
    await bench.run();
  }, 60_000);
  afterAll(async () => {
    bench.close();
    await server.close();
  });

  const versions = () =>
    server.db
      .selectFrom("model_versions")
      .innerJoin("models", "models.id", "model_versions.model_id")
      .select([
        "models.name",
        "number",
        "params",
        "model_versions.metrics",
        "logged_model_id",
        "tracked_run_id",
        "source",
      ])
      .where("models.project_id", "=", bench.projectId)
      .orderBy("models.name", "desc")
      .orderBy("number")
      .execute();

  it("are the next version each, with their own parameters and metrics", async () => {
    expect(await versions()).toMatchObject([
      { name: "tides", number: 1, params: { rate: "0.1" }, metrics: { loss: 0.5 } },
      { name: "tides", number: 2, params: {}, metrics: { loss: 0.25 } },
      { name: "plain", number: 1, logged_model_id: null, source: "" },
    ]);
  });

  it("keep their files as artefacts of the version", async () => {
    const rows = await versions();
    const paths = await server.db
      .selectFrom("artifacts")
      .select(["path", "bytes"])
      .where("project_id", "=", bench.projectId)
      .orderBy("path")
      .execute();
    const filesOf = (id: string | null | undefined) =>
      paths
        .filter(({ path }) => path.includes(`/models/${id}/`))
        .map(({ path, bytes }) => [path.split("/artifacts/")[1], bytes]);
    expect(filesOf(rows[0]?.logged_model_id)).toEqual([
      ["dGlkZXM", 7],
      ["out/below/a b.txt", 5],
    ]);
    expect(filesOf(rows[1]?.logged_model_id)).toEqual([["config.json", 2]]);
  });

  it("belong to their own run, whatever node code claims", async () => {
    const [first] = await versions();
    const forged = JSON.stringify({
      ...{ kind: "model", node, run: 2, name: "forged", metrics: {}, hardware: [], authors: null },
      logged_model: first?.logged_model_id,
    });
    await bench.code(node, script(...forge, `send(${JSON.stringify(forged)}.encode())`));
    await bench.run();
    const forgedRow = (await versions()).find(({ name }) => name === "forged");
    expect(forgedRow).toMatchObject({ number: 1, logged_model_id: null, source: "" });
  });

  it("say so when a file is not there", async () => {
    await bench.code(node, script("log_model('tides', files='nowhere')"));
    await bench.run();
    expect((await bench.lines()).map(([, text]) => text).join("\n")).toContain("There is no file nowhere.");
    expect((await versions()).filter(({ name }) => name === "tides")).toHaveLength(2);
  });
});
