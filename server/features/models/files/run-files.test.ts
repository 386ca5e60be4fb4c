import type { ModelArtifacts } from "@miranda/contract/schemas/models/artifacts.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { newId } from "../../../platform/crypto.ts";
import { buildGraph, buildProject, type Cast, signUpCast } from "../../../testing/access.ts";
import { MlflowClient } from "../../../testing/mlflow-client.ts";
import { addTrackedRun } from "../../../testing/models/models.ts";
import { addRun } from "../../../testing/runs.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { giveToken } from "../../../testing/workbench.ts";

let server: TestServer;
let cast: Cast;
let project: string;
let graph: string;
let mlflow: MlflowClient;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  project = (await buildProject(cast)).id;
  graph = await buildGraph(cast, project);
  mlflow = new MlflowClient(server, project, await giveToken(cast.owner));
});
afterAll(() => server.close());

const keyOf = (id: string) => id.replaceAll("-", "");
const atClient = (id: string, experiment = 0) =>
  `/api/v3/projects/${project}/experiments/${experiment}/runs/${keyOf(id)}`;
const atWorkflow = (id: string) => `/api/v3/runs/${id}`;

async function logFiles(id: string): Promise<void> {
  for (const [path, content] of [
    ["plots/confusion.png", Buffer.from("89504e470d0a1a0a", "hex")],
    ["notes.txt", "hello"],
    ["page.html", "<script>alert(1)</script>"],
  ] as const)
    expect((await mlflow.putFile(`0/${keyOf(id)}/artifacts/${path}`, content)).status).toBe(200);
}

const kinds = [
  {
    kind: "a client's run",
    zip: "calm-crow-1.zip",
    make: async () => {
      const id = await addTrackedRun(server.db, project);
      return { id, at: atClient(id) };
    },
  },
  {
    kind: "a run of a workflow",
    zip: "run-1.zip",
    make: async () => {
      const id = await addRun(server.db, graph, cast.owner.account.id);
      await addTrackedRun(server.db, project, { runId: id });
      return { id, at: atWorkflow(id) };
    },
  },
];

describe.for(kinds)("the files of $kind", ({ make, zip }) => {
  let id: string;
  let at: string;
  beforeAll(async () => {
    ({ id, at } = await make());
  });

  it("are listed, shown and downloaded", async () => {
    expect((await cast.viewer.get(`${at}/artifacts`)).json<ModelArtifacts>()).toMatchObject({ files: 0, entries: [] });
    await logFiles(id);
    expect((await cast.viewer.get(`${at}/artifacts`)).json<ModelArtifacts>()).toMatchObject({
      files: 3,
      entries: [{ path: "plots", folder: true }, { path: "notes.txt", bytes: 5 }, { path: "page.html" }],
    });
    const shown = (path: string) => cast.viewer.get(`${at}/artifacts/file?path=${path}&preview=1`);
    expect((await shown("plots/confusion.png")).headers.get("content-type")).toBe("image/png");
    expect((await shown("page.html")).headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect((await cast.viewer.get(`${at}/artifacts/file?path=notes.txt`)).text).toBe("hello");
    const all = await cast.viewer.get(`${at}/artifacts.zip`);
    expect(all.headers.get("content-disposition")).toContain(zip);
    expect(all.bytes.includes("plots/confusion.png")).toBe(true);
  });

  it("stay in the folder of the run", async () => {
    for (const path of ["../artifacts/notes.txt", "%2e%2e/x", "/etc/passwd", "a\\b", "x".repeat(1_001)])
      for (const part of ["artifacts", "artifacts/file", "artifacts.zip"])
        expect((await cast.owner.get(`${at}/${part}?path=${encodeURIComponent(path)}`)).status).toBe(400);
    expect((await cast.owner.get(`${at}/artifacts/file?path=none`)).status).toBe(404);
  });
});

it("has no files of a run that was deleted, or is in another experiment or project", async () => {
  const id = await addTrackedRun(server.db, project);
  await logFiles(id);
  expect((await cast.owner.get(`${atClient(id, 1)}/artifacts`)).status).toBe(404);
  expect((await cast.owner.get(`${atClient(newId())}/artifacts`)).status).toBe(404);
  const other = (await buildProject(cast)).id;
  const elsewhere = atClient(id).replace(project, other);
  expect((await cast.owner.get(`${elsewhere}/artifacts/file?path=notes.txt`)).status).toBe(404);
  await mlflow.post("runs/delete", { run_id: keyOf(id) });
  expect((await cast.owner.get(`${atClient(id)}/artifacts`)).status).toBe(404);
});

it("has no files of a run whose workflow was moved to another project", async () => {
  const id = await addRun(server.db, graph, cast.owner.account.id);
  const other = (await buildProject(cast)).id;
  await addTrackedRun(server.db, other, { runId: id });
  expect((await cast.owner.get(`${atWorkflow(id)}/artifacts`)).json<ModelArtifacts>()).toMatchObject({ files: 0 });
  expect((await cast.owner.get(`${atWorkflow(id)}/artifacts.zip`)).status).toBe(404);
});
