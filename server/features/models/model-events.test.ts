import type { AuditPage } from "@miranda/contract/schemas/audit.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";

import { buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { MlflowClient } from "../../testing/mlflow-client.ts";
import { addVersion } from "../../testing/models/models.ts";
import type { TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { giveToken } from "../../testing/workbench.ts";

let server: TestServer;
let cast: Cast;
let project: string;
let model: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  project = (await buildProject(cast)).id;
  await addVersion(server.db, project, "iris");
  ({ modelId: model } = await addVersion(server.db, project, "iris"));
});

const at = (path = "") => `/api/v3/models/${model}${path}`;

/** What the audit log says about models, the oldest first. */
async function events(client: TestClient = cast.owner, path = `projects/${project}`): Promise<AuditPage["events"]> {
  const answer = await client.get(`/api/v3/${path}/audit?kind=model`);
  return answer.json<AuditPage>().events.toReversed();
}

const sentences = async () => (await events()).map(({ sentence }) => sentence);

it("records who moved an alias, from where to where and why", async () => {
  await cast.editor.put(at("/aliases/champion"), { version: 1 });
  await cast.editor.put(at("/aliases/champion"), { version: 2, reason: "Half the loss." });
  // Nothing changes, so nothing is recorded.
  await cast.editor.put(at("/aliases/champion"), { version: 2 });
  await cast.owner.delete(at("/aliases/champion"), { reason: "" });
  expect(await sentences()).toEqual([
    "editor set the alias champion of the model iris to version 1 in Tides",
    "editor moved the alias champion of the model iris from version 1 to version 2 in Tides",
    "owner removed the alias champion from version 2 of the model iris in Tides",
  ]);
  const [, moved] = await events();
  expect(moved).toMatchObject({
    kind: "model.alias_move",
    subject: { kind: "model", id: model, name: "iris" },
    details: { alias: "champion", from: 1, to: 2, reason: "Half the loss." },
  });
});

it("records who deleted and restored a version, with its aliases", async () => {
  await cast.editor.put(at("/aliases/champion"), { version: 2 });
  await cast.editor.delete(at("/versions/2"));
  await cast.owner.post(at("/versions/2/restore"));
  expect((await sentences()).slice(1)).toEqual([
    "editor deleted version 2 of the model iris in Tides",
    "editor removed the alias champion from version 2 of the model iris in Tides",
    "owner restored version 2 of the model iris in Tides",
    "owner set the alias champion of the model iris to version 2 in Tides",
  ]);
});

it("records who deleted and restored a model, and nothing that was refused", async () => {
  expect((await cast.viewer.delete(at())).status).toBe(403);
  await cast.editor.delete(at());
  expect((await cast.editor.delete(at())).status).toBe(404);
  await cast.owner.post(at("/restore"));
  expect((await cast.owner.post(at("/restore"))).status).toBe(409);
  const expected = ["editor deleted the model iris in Tides", "owner restored the model iris in Tides"];
  expect(await sentences()).toEqual(expected);
  const all = await events(cast.admin, "admin");
  expect(all.filter((event) => event.project?.id === project).map(({ sentence }) => sentence)).toEqual(expected);
});

it("records what clients of MLflow do", async () => {
  const mlflow = new MlflowClient(server, project, await giveToken(cast.owner));
  await mlflow.post("registered-models/alias", { name: "iris", alias: "champion", version: "2" });
  await mlflow.send("DELETE", "registered-models/alias", { name: "iris", alias: "champion" });
  await mlflow.send("DELETE", "model-versions/delete", { name: "iris", version: "2" });
  await mlflow.send("DELETE", "registered-models/delete", { name: "iris" });
  const found = await events();
  expect(found.map(({ kind, subject }) => [kind, subject?.name])).toEqual([
    ["model.alias_set", "iris"],
    ["model.alias_remove", "iris"],
    ["model.version_delete", "iris"],
    ["model.delete", "iris"],
  ]);
  expect(found[3]?.sentence).toMatch(/^owner deleted the model iris in Tides \(with the token .+\)$/);
});
