import { errors } from "@miranda/contract/errors.ts";
import type { DeploymentPage } from "@miranda/contract/schemas/deployments/deployments.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { buildFlow, deployFlow, deploymentOf, releaseAsProposed } from "../../testing/deployments/deployments.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { versionsOf } from "../../testing/versions/versions.ts";

let server: TestServer;
let cast: Cast;
let project: string;
let graph: string;
let count = 0;
let name = "";
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  project = (await buildProject(cast)).id;
  graph = await buildGraph(cast, project);
  await buildFlow(cast.owner, graph);
  name = `app-${++count}`;
});

describe("a deployment", () => {
  it("is made with its first release, and described", async () => {
    const made = await deployFlow(cast.owner, graph, { name, title: "Tide tables", tags: ["sea", "sea"], at_once: 3 });
    expect(made).toMatchObject({
      ...{ name, title: "Tide tables", tags: ["sea"], access: "project", right: "manage", staging: null },
      graph: { id: graph, name: "Flow", project_id: project, project_name: "Tides" },
      owner: { username: "owner" },
      policy: { at_once: 3, warm: 0, payer: "owner", call_budget: null, day_budget: null, compute: null },
      production: { number: 1, version: { number: 1, name: "First" }, by: { username: "owner" } },
      ...{ paused_reason: null, calls: { queued: 0, running: 0, today: 0, failed_today: 0 }, cost_today: 0 },
      sharing: { people: [], link: null, embed_origins: [], hook: null },
    });
    expect(made.production?.time_served).not.toBeNull();
    expect(await deploymentOf(cast.owner, graph).read()).toEqual(made);
    const listed = (await cast.viewer.get(`/api/v3/projects/${project}/deployments`)).json<DeploymentPage>();
    expect(listed).toMatchObject({ deployments: [{ name, right: "read" }], next: null });
    expect(listed.deployments[0]).not.toHaveProperty("sharing");
    expect(await deploymentOf(cast.viewer, graph).read()).not.toHaveProperty("sharing");
  });

  it("exists at most once for each workflow, and no two have the same short name", async () => {
    await deployFlow(cast.owner, graph, { name });
    const release = await releaseAsProposed(cast.owner, graph);
    const again = await deploymentOf(cast.owner, graph).deploy({ name: `${name}-b`, title: "Again", release });
    expect([again.status, again.text]).toEqual([409, "This workflow is deployed already."]);
    const other = await buildGraph(cast, project, "Other");
    await buildFlow(cast.owner, other);
    await versionsOf(cast.owner, other).made("First");
    const own = await releaseAsProposed(cast.owner, other);
    const taken = await deploymentOf(cast.owner, other).deploy({ name, title: "Same name", release: own });
    expect([taken.status, taken.text]).toEqual([409, "That short name is taken."]);
    await deployFlow(cast.owner, other, { name: `${name}-b` }).catch(() => undefined);
    expect((await deploymentOf(cast.owner, other).patch({ name })).text).toBe("That short name is taken.");
    // Somebody who may not see the app learns no more than of a name that nobody can have.
    const { id } = (await cast.stranger.post("/api/v3/projects/", { name: "Own" })).json<{ id: string }>();
    const made = await cast.stranger.post("/api/v3/graphs/", { name: "G", description: "", project_id: id });
    const theirs = made.json<{ id: string }>().id;
    await buildFlow(cast.stranger, theirs);
    await versionsOf(cast.stranger, theirs).made("First", { publish: true });
    const foreign = await releaseAsProposed(cast.stranger, theirs);
    const hidden = await deploymentOf(cast.stranger, theirs).deploy({ name, title: "T", release: foreign });
    const reserved = await deploymentOf(cast.stranger, theirs).deploy({ name: "links", title: "T", release: foreign });
    expect([hidden.status, hidden.text]).toEqual([409, "That short name cannot be used."]);
    expect(reserved.text).toContain(hidden.text);
  });

  it.each([
    "../../etc",
    "a",
    "A name",
    "-abc",
    "abc-",
    "links",
    "a/b",
    "a%2fb",
    "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
    "x".repeat(61),
    "",
    "nül",
    { toString: "x" },
    null,
  ])("refuses the short name %j", async (bad) => {
    await versionsOf(cast.owner, graph).made("First");
    const release = await releaseAsProposed(cast.owner, graph);
    const answer = await deploymentOf(cast.owner, graph).deploy({ name: bad, title: "Bad name", release });
    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(/short name/i);
    expect((await deploymentOf(cast.owner, graph).get()).status).toBe(404);
  });

  it("lets editors describe and release it, and only owners decide who uses it and what it costs", async () => {
    await deployFlow(cast.owner, graph, { name });
    const editor = deploymentOf(cast.editor, graph);
    expect(await editor.changed({ title: "New", description: "Words", tags: ["a"] })).toMatchObject({
      ...{ title: "New", right: "release" },
    });
    for (const patch of [
      { call_budget: 1e6 },
      { day_budget: null },
      { payer: "owner" },
      { at_once: 60 },
      { warm: 1 },
      { access: "accounts" },
      { people: ["stranger"] },
      { name: "other-name" },
      { paused: true },
      { take_over: true },
      { title: "Mixed", call_budget: 5 },
      { embed_origins: ["https://example.com"] },
    ]) {
      const answer = await editor.patch(patch);
      const { status, text } = answer;
      expect([patch, status, text]).toEqual([patch, 403, errors.deployment_money]);
    }
    expect(await editor.read()).toMatchObject({ title: "New", owner: { username: "owner" }, access: "project" });
    expect((await deploymentOf(cast.viewer, graph).patch({ title: "No" })).status).toBe(403);
  });

  it("belongs to the editor who deploys it", async () => {
    const made = await deployFlow(cast.editor, graph, { name, call_budget: 2 });
    expect(made).toMatchObject({ owner: { username: "editor" }, right: "manage" });
    expect(await deploymentOf(cast.editor, graph).changed({ call_budget: 3 })).toMatchObject({
      policy: { call_budget: 3 },
    });
    // The owner of the project may take it over.
    expect(await deploymentOf(cast.owner, graph).changed({ take_over: true })).toMatchObject({
      ...{ owner: { username: "owner" }, right: "manage" },
    });
    expect((await deploymentOf(cast.editor, graph).patch({ call_budget: 9 })).status).toBe(403);
  });

  it("serves nothing once its owner may no longer change the workflow", async () => {
    await deployFlow(cast.editor, graph, { name });
    const members = `/api/v3/projects/${project}/members/${cast.editor.account.id}`;
    await cast.owner.patch(members, { role: "viewer" });
    const { paused_reason } = await deploymentOf(cast.owner, graph).read();
    expect(paused_reason).toMatch(/take it over/);
    await cast.owner.patch(members, { role: "editor" });
    expect((await deploymentOf(cast.owner, graph).read()).paused_reason).toBeNull();
  });

  it("refuses settings that make no sense, and changes nothing", async () => {
    await deployFlow(cast.owner, graph, { name });
    const { patch, read } = deploymentOf(cast.owner, graph);
    const before = await read();
    const bad: [object, RegExp][] = [
      [{ at_once: 0 }, /Calls at once/],
      [{ at_once: 2, warm: 3 }, /more warm processors/],
      [{ call_budget: -1 }, /./],
      [{ day_budget: "much" }, /./],
      [{ payer: "nobody" }, /Who pays/],
      [{ access: "world" }, /Who may use it/],
      [{ embed_origins: ["https://example.com/path"] }, /origin/],
      [{ embed_origins: ["javascript:alert(1)"] }, /origin/],
      [{ people: ["owner", "nobody-here", "nor-here"] }, /nobody-here, nor-here/],
      [{ tags: Array.from({ length: 100 }, String) }, /./],
      [{ title: "" }, /Title is required/],
      [{ title: "a\u0000b" }, /cannot be stored/],
    ];
    for (const [body, words] of bad) {
      const answer = await patch(body);
      expect([body, [400, 404].includes(answer.status)]).toEqual([body, true]);
      expect([body, answer.text]).toEqual([body, expect.stringMatching(words)]);
    }
    expect(await read()).toEqual(before);
  });

  it("gets a budget per day with its link, unless the owner says that there is none", async () => {
    await deployFlow(cast.owner, graph, { name });
    const { changed } = deploymentOf(cast.owner, graph);
    expect(await changed({ access: "link" })).toMatchObject({ policy: { day_budget: 20 } });
    expect(await changed({ day_budget: null })).toMatchObject({ policy: { day_budget: null }, access: "link" });
  });

  it("ends with its workflow or project, whose deletion preview names it", async () => {
    await deployFlow(cast.owner, graph, { name, title: "Tide tables" });
    const preview = { deployments: 1, deployment_titles: ["Tide tables"] };
    const ofProject = await cast.owner.delete(`/api/v3/projects/${project}?preview=true`);
    expect(ofProject.json()).toMatchObject(preview);
    expect((await cast.owner.delete(`/api/v3/graphs/${graph}?preview=true`)).json()).toMatchObject(preview);
    expect((await cast.owner.delete(`/api/v3/graphs/${graph}?preview=false`)).status).toBe(200);
    const { rows } = await sql`select 1 from deployments where name = ${name}`.execute(server.db);
    expect(rows).toEqual([]);
  });

  it("is removed with its project in the background", async () => {
    await deployFlow(cast.owner, graph, { name });
    await cast.owner.delete(`/api/v3/projects/${project}?preview=false`);
    expect((await cast.owner.get(`/api/v3/deployments/${name}`)).status).toBe(404);
    await expect
      .poll(async () => (await sql`select 1 from deployments where name = ${name}`.execute(server.db)).rows.length)
      .toBe(0);
    const left = await sql`select 1 from projects where id = ${project}`.execute(server.db);
    await expect.poll(() => left.rows.length <= 1).toBe(true);
  });

  it("moves with its workflow to another project", async () => {
    const { id } = await deployFlow(cast.owner, graph, { name });
    const other = (await buildProject(cast, "Other")).id;
    await cast.owner.patch(`/api/v3/graphs/${graph}`, { dest_parent_id: other });
    expect(await deploymentOf(cast.owner, graph).read()).toMatchObject({
      ...{ id, name, paused_reason: null, graph: { project_id: other } },
    });
    expect((await cast.viewer.get(`/api/v3/projects/${project}/deployments`)).json()).toEqual({
      deployments: [],
      next: null,
    });
  });

  it("is listed with those of its project, newest first and by pages", async () => {
    await deployFlow(cast.owner, graph, { name });
    const names = [name];
    for (const number of [2, 3]) {
      const another = await buildGraph(cast, project, `Flow ${number}`);
      await buildFlow(cast.owner, another);
      await deployFlow(cast.owner, another, { name: `${name}-${number}` });
      names.unshift(`${name}-${number}`);
    }
    const list = async (query: string) =>
      (await cast.viewer.get(`/api/v3/projects/${project}/deployments${query}`)).json<DeploymentPage>();
    const first = await list("?limit=2");
    const second = await list(`?limit=2&after=${first.next}`);
    expect([...first.deployments, ...second.deployments].map((one) => one.name)).toEqual(names);
    expect(second.next).toBeNull();
    for (const bad of ["?limit=0", "?limit=x", "?after=x"])
      expect((await cast.viewer.get(`/api/v3/projects/${project}/deployments${bad}`)).status).toBe(400);
  });

  it("is deleted by its owner, and its name is free", async () => {
    await deployFlow(cast.owner, graph, { name });
    expect((await deploymentOf(cast.editor, graph).remove()).status).toBe(403);
    expect((await deploymentOf(cast.owner, graph).remove()).status).toBe(204);
    expect((await deploymentOf(cast.owner, graph).get()).status).toBe(404);
    expect((await cast.owner.get(`/api/v3/deployments/${name}`)).status).toBe(404);
    const release = await releaseAsProposed(cast.owner, graph);
    await deploymentOf(cast.owner, graph).deployed({ name, title: "Again", release });
  });
});

describe("the account that deployed", () => {
  it("is told which deployments end with it, and leaves one that somebody can take over", async () => {
    const leaving = await server.signUp("leaving");
    await cast.owner.post(`/api/v3/projects/${project}/members`, { user: "leaving", role: "editor" });
    await deployFlow(leaving, graph, { name, title: "Left behind" });
    expect((await leaving.get("/api/v3/auth/account/deletion")).json()).toMatchObject({
      ...{ deployments: 1, deployment_titles: ["Left behind"] },
    });
    const gone = await leaving.delete("/api/v3/auth/account", {
      ...{ username: "leaving", password: "correct horse battery", projects: "delete" },
    });
    expect([gone.status, gone.text]).toEqual([200, gone.text]);
    const { read, changed } = deploymentOf(cast.owner, graph);
    const left = await read();
    expect([left.owner, left.paused_reason]).toEqual([null, expect.stringMatching(/take it over/)]);
    expect(await changed({ take_over: true })).toMatchObject({ owner: { username: "owner" }, paused_reason: null });
  });
});
