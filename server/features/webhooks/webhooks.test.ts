import { type WebhookList, WebhookWithSecret } from "@miranda/contract/schemas/news/webhooks.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildProject, type Cast, type Role, signUpCast } from "../../testing/access.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let project: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  project = (await buildProject(cast)).id;
});
afterAll(() => server.close());

const address = (projectId = project) => `/api/v3/projects/${projectId}/webhooks`;
const wanted = { url: "https://example.org/hook", events: '["run_ended"]' };

async function create(): Promise<WebhookWithSecret> {
  return WebhookWithSecret.parse((await cast.owner.post(address(), wanted)).json());
}

describe("webhooks of a project", () => {
  it("are made, listed, changed and deleted, and the secret is shown once", async () => {
    const { secret, ...made } = await create();
    expect(secret.length).toBeGreaterThanOrEqual(40);
    expect(made).toMatchObject({ url: wanted.url, events: ["run_ended"], enabled: true, failing_since: null });
    const listed = (await cast.owner.get(address())).json<WebhookList>();
    expect(listed).toEqual([made]);
    expect(JSON.stringify(listed)).not.toContain(secret);
    const { rows } = await server.db
      .selectFrom("webhooks")
      .select("secret")
      .execute()
      .then((rows) => ({ rows }));
    expect(rows[0]?.secret.toString("latin1")).not.toContain(secret);

    const change = { url: "http://example.org/other", events: '["budget_reached","run_failed"]', enabled: false };
    const changed = await cast.editor.patch(`${address()}/${made.id}`, change);
    expect(changed.json()).toMatchObject({ ...change, events: ["run_failed", "budget_reached"] });

    const rotated = WebhookWithSecret.parse((await cast.owner.post(`${address()}/${made.id}/secret`)).json());
    expect(rotated.secret).not.toBe(secret);

    expect((await cast.editor.delete(`${address()}/${made.id}`)).status).toBe(200);
    expect((await cast.owner.get(address())).json()).toEqual([]);
    const gone = await cast.owner.get(`${address()}/${made.id}/calls`);
    expect([gone.status, gone.text]).toEqual([404, "Webhook not found."]);
  });

  const statuses: [Role, number][] = [
    ["anonymous", 401],
    ["stranger", 404],
    ["viewer", 403],
    ["editor", 200],
    ["owner", 200],
    ["admin", 200],
  ];
  it.each(statuses)("answer %s with %i", async (role, status) => {
    const { id } = await create();
    const person = cast[role];
    expect((await person.get(address())).status).toBe(status);
    expect((await person.get(`${address()}/${id}/calls`)).status).toBe(status);
    expect((await person.patch(`${address()}/${id}`, { enabled: true })).status).toBe(status);
    expect((await person.post(`${address()}/${id}/secret`)).status).toBe(status);
    expect((await person.delete(`${address()}/${id}`)).status).toBe(status);
    await cast.owner.delete(`${address()}/${id}`);
  });

  it("are not found under the address of another project", async () => {
    const { id } = await create();
    const other = (await buildProject(cast, "Other")).id;
    expect((await cast.owner.delete(`${address(other)}/${id}`)).status).toBe(404);
    expect((await cast.owner.patch(`${address(other)}/${id}`, { enabled: false })).status).toBe(404);
    expect((await cast.owner.get(address())).json<WebhookList>()).toHaveLength(1);
    await cast.owner.delete(`${address()}/${id}`);
  });

  it.each([
    ["no address", { ...wanted, url: "" }, "URL is required."],
    ["a file", { ...wanted, url: "file:///etc/passwd" }, "URL must begin with http:// or https://"],
    ["a script", { ...wanted, url: "javascript:alert(1)" }, "URL must begin with http:// or https://"],
    ["a password in the address", { ...wanted, url: "https://a:b@example.org/" }, "have no user name or password."],
    ["this machine", { ...wanted, url: "http://127.0.0.1:4600/" }, "That address is private."],
    ["this machine as a number", { ...wanted, url: "http://2130706433/" }, "That address is private."],
    ["this machine as IPv6", { ...wanted, url: "http://[::ffff:127.0.0.1]/" }, "That address is private."],
    ["the metadata of a cloud", { ...wanted, url: "http://169.254.169.254/" }, "That address is private."],
    ["no events", { ...wanted, events: "[]" }, "Choose at least one event."],
    ["an event that nobody knows", { ...wanted, events: '["moon"]' }, "events must be run_ended"],
    ["events that are no list", { ...wanted, events: "run_ended" }, "events must be a list."],
  ])("refuse %s, and nothing is made", async (_what, form, words) => {
    const answer = await cast.owner.post(address(), form);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(words);
    expect((await cast.owner.get(address())).json()).toEqual([]);
  });

  it("are at most twenty", async () => {
    const other = (await buildProject(cast, "Full")).id;
    const answers = await Promise.all(Array.from({ length: 22 }, () => cast.owner.post(address(other), wanted)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(answers.find(({ status }) => status === 409)?.text).toBe(
      "This project has as many webhooks as a project can have. Delete one first.",
    );
  });
});
