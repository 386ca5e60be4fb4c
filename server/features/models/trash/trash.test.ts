import { errors } from "@miranda/contract/errors.ts";
import type { ModelsResponse } from "@miranda/contract/schemas/models/models.ts";
import type { ModelAliases, ModelDetails, ModelTrash } from "@miranda/contract/schemas/models/versions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";

import { buildProject, type Cast, signUpCast } from "../../../testing/access.ts";
import { addVersion } from "../../../testing/models/models.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
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
