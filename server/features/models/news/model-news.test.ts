import type { NotificationPage, NotificationSettings } from "@miranda/contract/schemas/news/notifications.ts";
import type { WebhookCallList } from "@miranda/contract/schemas/news/webhooks.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";

import { buildProject, type Cast, signUpCast } from "../../../testing/access.ts";
import { addVersion } from "../../../testing/models/models.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let project: string;
beforeAll(async () => {
  server = await startTestServer({ webhookPrivate: true });
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  project = (await buildProject(cast)).id;
});

const soon = { timeout: 15_000 };

async function titles(person: Cast["owner"]): Promise<string[]> {
  const page = (await person.get("/api/v3/notifications")).json<NotificationPage>();
  const own = page.notifications.filter(({ kind, project_id }) => project_id === project && kind !== "membership");
  return own.map(({ title }) => title);
}

it("tells the others in the project about a new version and a moved alias", async () => {
  const made = { metrics: { accuracy: 0.75 }, accountId: cast.editor.account.id, author: "editor" };
  const { modelId } = await addVersion(server.db, project, "tides", made);
  // Whoever made the version, the alias wakes who tells.
  await cast.editor.put(`/api/v3/models/${modelId}/aliases/champion`, { version: 1, reason: "It won." });
  await expect.poll(() => titles(cast.owner), soon).toEqual(["champion of tides is version 1", "tides has version 1"]);
  const { notifications } = (await cast.owner.get("/api/v3/notifications")).json<NotificationPage>();
  expect(notifications[0]).toMatchObject({ kind: "model_alias", model_id: modelId, body: "By editor. It won." });
  expect(notifications[1]).toMatchObject({ kind: "model_version", body: "By editor in Tides. accuracy: 0.75." });
  expect(await titles(cast.editor)).toEqual([]);
  expect(await titles(cast.viewer)).toEqual([]);
});

it("tells nobody who does not want to know", async () => {
  const settings = (await cast.owner.get("/api/v3/accounts/notification-settings")).json<NotificationSettings>();
  const wanted = { ...settings, model_version: false };
  await cast.owner.send("PUT", "/api/v3/accounts/notification-settings", JSON.stringify(wanted), {
    "content-type": "application/json",
  });
  const { modelId } = await addVersion(server.db, project, "tides", { accountId: cast.editor.account.id });
  await cast.editor.put(`/api/v3/models/${modelId}/aliases/champion`, { version: 1 });
  await expect.poll(() => titles(cast.owner), soon).toEqual(["champion of tides is version 1"]);
});

it("calls the webhooks of the project", async () => {
  const hook = { url: "http://127.0.0.1:9/", events: JSON.stringify(["model_version", "model_alias"]) };
  const created = await cast.owner.post(`/api/v3/projects/${project}/webhooks`, hook);
  expect(created.status).toBeLessThan(300);
  const { id } = created.json<{ id: string }>();
  const { modelId } = await addVersion(server.db, project, "tides", { metrics: { loss: 2 } });
  await cast.editor.put(`/api/v3/models/${modelId}/aliases/champion`, { version: 1, reason: "Best." });
  const events = async () =>
    (await cast.owner.get(`/api/v3/projects/${project}/webhooks/${id}/calls`))
      .json<WebhookCallList>()
      .map(({ event }) => event);
  await expect.poll(events, soon).toEqual(["model_alias", "model_version"]);
  const bodies = await server.db
    .selectFrom("webhook_calls")
    .select("body")
    .where("webhook_id", "=", id)
    .orderBy("id")
    .execute();
  expect(bodies.map(({ body }): unknown => JSON.parse(body))).toMatchObject([
    { event: "model_version", model: { id: modelId, name: "tides" }, version: { number: 1, metrics: { loss: 2 } } },
    {
      event: "model_alias",
      alias: "champion",
      from: null,
      to: 1,
      reason: "Best.",
      by: "editor",
      project: { id: project },
    },
  ]);
});
