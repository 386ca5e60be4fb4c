import { errors } from "@miranda/contract/errors.ts";
import type { ModelArtifacts } from "@miranda/contract/schemas/models/artifacts.ts";
import type { ModelsResponse } from "@miranda/contract/schemas/models/models.ts";
import type { ModelAliases, ModelDetails, ModelTrash } from "@miranda/contract/schemas/models/versions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";

import { buildProject, type Cast, signUpCast } from "../../../testing/access.ts";
import { MlflowClient } from "../../../testing/mlflow-client.ts";
import { addVersion } from "../../../testing/models/models.ts";
import type { TestClient } from "../../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { giveToken } from "../../../testing/workbench.ts";
import { createModelAccess } from "../model-access.ts";
import { createModelsTrash } from "./trash-service.ts";

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
  await addVersion(server.db, project, "tides", { metrics: { loss: 1 }, author: "owner" });
  ({ modelId: model } = await addVersion(server.db, project, "tides", { metrics: { loss: 2 }, author: "editor" }));
});

const at = (path = "") => `/api/v3/models/${model}${path}`;
const trash = async () => (await cast.editor.get(`/api/v3/models/trash?project_id=${project}`)).json<ModelTrash>();

/** As if it had been in the trash for long. */
async function age(table: "models" | "model_versions"): Promise<void> {
  await sql`update ${sql.table(table)} set deleted_at = deleted_at - interval '31 days'`.execute(server.db);
}

async function sweep(): Promise<void> {
  const projects = {
    accessExpression: () => sql<null>`null`,
    getProject: () => Promise.reject(new Error("Not asked.")),
  };
  const access = createModelAccess({ db: server.db, projects });
  const swept = createModelsTrash({ db: server.db, access, projects, days: 30, wake: () => undefined }).sweep();
  for await (const _batch of swept);
}

it("takes a deleted model, from where it can be restored", async () => {
  expect((await cast.editor.delete(at())).status).toBe(204);
  expect((await cast.owner.get(at())).status).toBe(404);
  expect((await cast.owner.get("/api/v3/models/")).json<ModelsResponse>().json.map(({ id }) => id)).not.toContain(
    model,
  );
  expect(await trash()).toMatchObject([
    { id: model, name: "tides", number: null, versions: 2, project: { id: project } },
  ]);
  expect((await cast.editor.post(at("/restore"))).json<ModelDetails>()).toMatchObject({ name: "tides", versions: 2 });
  expect(await trash()).toEqual([]);
  expect(await cast.editor.post(at("/restore"))).toMatchObject({ status: 409, text: errors.model_not_deleted });
});

it("keeps a model whose name was taken meanwhile", async () => {
  await cast.editor.delete(at());
  await addVersion(server.db, project, "tides");
  expect(await cast.editor.post(at("/restore"))).toMatchObject({ status: 409, text: errors.model_restore_taken });
  expect(await trash()).toHaveLength(1);
});

it("takes a version with its aliases, and the list shows the one before", async () => {
  await cast.editor.put(at("/aliases/champion"), { version: 2 });
  expect((await cast.editor.delete(at("/versions/2"))).status).toBe(204);
  const page = (await cast.viewer.get(at())).json<ModelDetails>();
  expect(page).toMatchObject({
    versions: 1,
    deleted_versions: 1,
    latest_version: 1,
    loss: 1,
    authors: ["owner"],
    aliases: [],
  });
  const { moves } = (await cast.viewer.get(at("/aliases"))).json<ModelAliases>();
  expect(moves[0]).toMatchObject({ alias: "champion", from: 2, to: null, reason: "The version was deleted." });
  expect((await cast.viewer.get(at("/versions/2"))).status).toBe(404);
  expect((await cast.editor.put(at("/aliases/champion"), { version: 2 })).status).toBe(404);
  expect(await trash()).toMatchObject([{ id: model, number: 2 }]);
  expect((await cast.editor.post(at("/versions/2/restore"))).status).toBe(200);
  expect((await cast.viewer.get(at())).json<ModelDetails>()).toMatchObject({ latest_version: 2, loss: 2 });
});

it("gives a restored version the aliases that it had, with who and why", async () => {
  await cast.editor.put(at("/aliases/champion"), { version: 2 });
  await cast.editor.put(at("/aliases/canary"), { version: 2 });
  await cast.editor.put(at("/aliases/old"), { version: 2 });
  await cast.editor.delete(at("/aliases/old"), { reason: "" });
  await cast.editor.delete(at("/versions/2"));
  expect((await cast.owner.post(at("/versions/2/restore"))).status).toBe(200);
  const { aliases, moves } = (await cast.viewer.get(at("/aliases"))).json<ModelAliases>();
  expect(aliases).toEqual([
    { alias: "canary", number: 2 },
    { alias: "champion", number: 2 },
  ]);
  const back = { from: null, to: 2, author: "owner", reason: "The version was restored." };
  expect(moves.slice(0, 2)).toMatchObject([
    { alias: "champion", ...back },
    { alias: "canary", ...back },
  ]);
});

it("leaves aliases where people set them after the version was deleted", async () => {
  for (const alias of ["moved", "removed", "kept"]) await cast.editor.put(at(`/aliases/${alias}`), { version: 2 });
  await cast.editor.delete(at("/versions/2"));
  for (const alias of ["moved", "removed"]) await cast.editor.put(at(`/aliases/${alias}`), { version: 1 });
  await cast.editor.delete(at("/aliases/removed"), { reason: "Not needed." });
  await cast.editor.post(at("/versions/2/restore"));
  expect((await cast.viewer.get(at("/aliases"))).json<ModelAliases>().aliases).toEqual([
    { alias: "kept", number: 2 },
    { alias: "moved", number: 1 },
  ]);
});

it("gives back the aliases of a version that a client of MLflow deleted", async () => {
  const mlflow = new MlflowClient(server, project, await giveToken(cast.owner));
  await mlflow.post("registered-models/alias", { name: "tides", alias: "champion", version: "2" });
  await mlflow.send("DELETE", "model-versions/delete", { name: "tides", version: "2" });
  expect((await cast.viewer.get(at())).json<ModelDetails>().aliases).toEqual([]);
  await cast.editor.post(at("/versions/2/restore"));
  expect((await cast.viewer.get(at())).json<ModelDetails>().aliases).toEqual([{ alias: "champion", number: 2 }]);
});

it("says who deleted a model or a version", async () => {
  await cast.editor.delete(at("/versions/2"));
  expect(await trash()).toMatchObject([{ number: 2, deleted_by: { username: "editor" } }]);
  await cast.editor.post(at("/versions/2/restore"));
  await cast.owner.delete(at());
  expect(await trash()).toMatchObject([{ number: null, deleted_by: { username: "owner" } }]);
  // How long it stays is a setting of the installation.
  expect((await cast.viewer.get("/api/v3/settings")).json()).toMatchObject({ trash_days: 30 });
});

it("never gives the number of a deleted version to a new one", async () => {
  await cast.editor.delete(at("/versions/2"));
  expect((await addVersion(server.db, project, "tides")).number).toBe(3);
});

it("is seen by those who may restore", async () => {
  await cast.editor.delete(at());
  expect((await cast.viewer.get("/api/v3/models/trash")).json<ModelTrash>()).toEqual([]);
  expect((await cast.stranger.get(`/api/v3/models/trash?project_id=${project}`)).status).toBe(404);
  expect((await cast.viewer.post(at("/restore"))).status).toBe(403);
  expect((await cast.stranger.post(at("/restore"))).status).toBe(404);
});

it("is emptied after its days, with files that no other version has", async () => {
  const logged = await addVersion(server.db, project, "tides", { loggedModel: true });
  const folder = `0/models/${logged.loggedModelId}/artifacts`;
  await server.db
    .insertInto("artifacts")
    .values({ project_id: project, path: `${folder}/MLmodel`, bytes: 3, sha256: Buffer.alloc(32) })
    .execute();
  const files = () => server.db.selectFrom("artifacts").select("path").where("project_id", "=", project).execute();
  await cast.editor.delete(at("/versions/3"));
  await sweep();
  expect(await files()).toHaveLength(1);
  await age("model_versions");
  await sweep();
  expect(await files()).toEqual([]);
  expect(await trash()).toEqual([]);
  await cast.editor.delete(at());
  await age("models");
  await sweep();
  expect(await server.db.selectFrom("models").select("id").where("id", "=", model).execute()).toEqual([]);
});

it("keeps files that another version has", async () => {
  const logged = await addVersion(server.db, project, "tides", { loggedModel: true });
  await sql`insert into model_versions (model_id, number, logged_model_id) values (${model}, 99, ${logged.loggedModelId})`.execute(
    server.db,
  );
  const path = `0/models/${logged.loggedModelId}/artifacts/MLmodel`;
  await server.db
    .insertInto("artifacts")
    .values({ project_id: project, path, bytes: 3, sha256: Buffer.alloc(32) })
    .execute();
  await cast.editor.delete(at(`/versions/${logged.number}`));
  await age("model_versions");
  await sweep();
  expect(await server.db.selectFrom("artifacts").select("path").where("path", "=", path).execute()).toHaveLength(1);
});

it("is emptied by the owner, so that a full project has room again", async () => {
  const logged = await addVersion(server.db, project, "tides", { loggedModel: true });
  const tracking = server.anonymous();
  tracking.headers = { authorization: `Bearer ${await giveToken(cast.owner)}` };
  const path = `/mlflow/${project}/api/2.0/mlflow-artifacts/artifacts/0/models/${logged.loggedModelId}/artifacts/weights`;
  const put = await tracking.send("PUT", path, "w".repeat(1_000), { "content-type": "application/octet-stream" });
  expect(put.status).toBe(200);
  const other = (await buildProject(cast)).id;
  const theirs = await addVersion(server.db, other, "waves");
  await cast.owner.delete(`/api/v3/models/${theirs.modelId}`);
  const used = async () =>
    (
      await server.db
        .selectFrom("artifact_totals")
        .select("bytes")
        .where("project_id", "=", project)
        .executeTakeFirstOrThrow()
    ).bytes;
  const empty = (by: TestClient) => by.delete(`/api/v3/models/trash?project_id=${project}`);

  await cast.editor.delete(at(`/versions/${logged.number}`));
  expect(await used()).toBe(1_000);
  expect((await empty(cast.editor)).status).toBe(403);
  expect(await trash()).toHaveLength(1);
  expect((await empty(cast.owner)).status).toBe(204);
  expect([await trash(), await used()]).toEqual([[], 0]);
  expect((await cast.editor.post(at(`/versions/${logged.number}/restore`))).status).toBe(404);
  // What is not deleted stays, and so does the trash of other projects.
  expect((await cast.viewer.get(at())).json<ModelDetails>()).toMatchObject({ versions: 2, deleted_versions: 0 });
  expect((await cast.owner.get(`/api/v3/models/trash?project_id=${other}`)).json<ModelTrash>()).toHaveLength(1);
  expect((await cast.owner.delete("/api/v3/models/trash")).status).toBe(400);
  const recorded = await server.db
    .selectFrom("audit_log")
    .select("project_id")
    .where("kind", "=", "model.empty_trash")
    .execute();
  expect(recorded).toEqual([{ project_id: project }]);
});

it("keeps files that another version names in another way, or of which it has a part", async () => {
  const mlflow = new MlflowClient(server, project, await giveToken(cast.owner));
  const { run } = await mlflow.post<{ run: { info: { run_id: string } } }>("runs/create", { experiment_id: "0" });
  const id = run.info.run_id;
  const folder = `0/${id}/artifacts`;
  for (const path of ["model/MLmodel", "model/data/weights", "notes.txt"])
    await mlflow.putFile(`${folder}/${path}`, path);
  const register = async (name: string, source: string): Promise<void> => {
    await mlflow.post("registered-models/create", { name });
    await mlflow.post("model-versions/create", { name, source });
  };
  await register("trained", `runs:/${id}/model`);
  await register("prod", "models:/trained/1");
  await register("whole", `runs:/${id}`);
  const paths = async () => {
    const files = await server.db.selectFrom("artifacts").select("path").where("project_id", "=", project).execute();
    return files.map(({ path }) => path.slice(folder.length + 1)).toSorted();
  };
  const remove = async (name: string): Promise<string[]> => {
    await mlflow.send("DELETE", "model-versions/delete", { name, version: "1" });
    await age("model_versions");
    await sweep();
    return paths();
  };
  expect(await remove("trained")).toEqual(["model/MLmodel", "model/data/weights", "notes.txt"]);
  expect(await remove("whole")).toEqual(["model/MLmodel", "model/data/weights"]);
  const prod = await server.db.selectFrom("models").select("id").where("name", "=", "prod").executeTakeFirstOrThrow();
  const listed = await cast.viewer.get(`/api/v3/models/${prod.id}/versions/1/artifacts`);
  expect(listed.json<ModelArtifacts>()).toMatchObject({ files: 2 });
  expect(await remove("prod")).toEqual([]);
});
