import type { Deployment, DeploymentToken } from "@miranda/contract/schemas/deployments/deployments.ts";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, type Role, signUpCast } from "../../testing/access.ts";
import { accessCells, statusInTable } from "../../testing/deployments/access-table.ts";
import { buildFlow, deployFlow, deploymentOf, releaseAsProposed } from "../../testing/deployments/deployments.ts";
import { TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { versionsOf } from "../../testing/versions/versions.ts";
import { SocketListener } from "../../testing/workbench.ts";

// Every cell of docs/spec/access-deployments.tsv about deployments themselves.

let server: TestServer;
let cast: Cast;
let project: string;
let graph: string;
let app: Deployment;
let count = 0;
let picture: FormData;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: "#369" } })
    .png()
    .toBuffer();
  picture = new FormData();
  picture.set("picture", new Blob([new Uint8Array(image)], { type: "image/png" }), "a.png");
});
afterAll(() => server.close());
beforeEach(async () => {
  project = (await buildProject(cast)).id;
  graph = await buildGraph(cast, project);
  await buildFlow(cast.owner, graph);
  app = await deployFlow(cast.owner, graph, { name: `app-${++count}` });
});

type Attempt = (client: TestClient, role: Role) => Promise<number>;

const at = (path: string) => `/api/v3/graphs/${graph}/deployment${path}`;
const see = (client: TestClient) => client.get(`/api/v3/deployments/${app.name}`);

/** All of these must be answered alike. */
async function alike(...sent: Promise<{ status: number }>[]): Promise<number> {
  const statuses = [...new Set((await Promise.all(sent)).map(({ status }) => statusInTable(status)))];
  expect(statuses).toHaveLength(1);
  return statuses[0] ?? 0;
}

const attempts: Record<string, Attempt> = {
  "deployment: read, list, proposal, sessions": (client) =>
    alike(
      client.get(at("")),
      client.get(`/api/v3/projects/${project}/deployments`),
      client.get(at("/proposal?version=1")),
      client.get(at("/sessions")),
    ),
  "deployment: deploy": async (client) => {
    const other = await buildGraph(cast, project, "Other");
    await buildFlow(cast.owner, other);
    await versionsOf(cast.owner, other).made("First");
    const release = await releaseAsProposed(cast.owner, other);
    return (await deploymentOf(client, other).deploy({ name: `other-${count}`, title: "Other", release })).status;
  },
  "deployment: describe": async (client) => (await deploymentOf(client, graph).patch({ title: "New" })).status,
  "deployment: change who may use it and what it costs": async (client) => {
    const { patch } = deploymentOf(client, graph);
    const settings = [{ day_budget: 1e6 }, { access: "accounts" }, { title: "x", paused: true }];
    const status = await alike(...settings.map(patch));
    const now = await deploymentOf(cast.owner, graph).read();
    expect([now.access, now.paused, now.policy.day_budget]).toEqual(
      status === 200 ? ["accounts", true, 1e6] : ["project", false, null],
    );
    return status;
  },
  "deployment: delete": async (client) => (await client.delete(at(""))).status,
  "release: list": async (client) => (await client.get(at("/releases"))).status,
  "release: make": async (client) => {
    const body = await releaseAsProposed(cast.owner, graph);
    return (await deploymentOf(client, graph).release(body)).status;
  },
  "release: publish, roll back": async (client) => {
    await deploymentOf(cast.owner, graph).released(await releaseAsProposed(cast.owner, graph));
    const { serve } = deploymentOf(client, graph);
    return alike(serve("production", 2), serve("production", 1), serve("staging", 2));
  },
  "deployment token: make": async (client) => (await deploymentOf(client, graph).send("POST", "/tokens", {})).status,
  "deployment token: list": async (client) => (await client.get(at("/tokens"))).status,
  "deployment token: revoke": async (client) => {
    await deploymentOf(cast.owner, graph).token();
    const [token] = (await cast.owner.get(at("/tokens"))).json<DeploymentToken[]>();
    return (await client.delete(at(`/tokens/${token?.id}`))).status;
  },
  "deployment token: anything but its deployment": async (client, role) => {
    // A stranger and a reader have one from when they were editors.
    const member = `/api/v3/projects/${project}/members`;
    if (role === "stranger") await cast.owner.post(member, { user: "stranger", role: "editor" });
    if (role === "viewer") await cast.owner.patch(`${member}/${cast.viewer.account.id}`, { role: "editor" });
    const token = await deploymentOf(client, graph).token();
    if (role === "stranger") await cast.owner.delete(`${member}/${cast.stranger.account.id}`);
    const robot = new TestClient(server.url);
    robot.headers = { authorization: `Bearer ${token}` };
    return alike(
      robot.get(at("")),
      robot.get("/api/v3/projects/"),
      robot.get("/api/v3/deployments"),
      robot.get("/api/v3/auth/access_tokens"),
      robot.delete(`/api/v3/projects/${project}?preview=false`),
    );
  },
  "link: make, renew, remove": async (client) => {
    const { send } = deploymentOf(client, graph);
    const first = await send("POST", "/link");
    return alike(Promise.resolve(first), send("POST", "/link"), send("DELETE", "/link"));
  },
  "hook: make, renew, remove": async (client) => {
    const { send } = deploymentOf(client, graph);
    const first = await send("POST", "/hook", {});
    return alike(Promise.resolve(first), send("POST", "/hook", { signed: true }), send("DELETE", "/hook"));
  },
  "picture: set, remove": async (client) =>
    alike(client.send("PUT", at("/picture"), picture), client.send("DELETE", at("/picture"))),
  "picture: see by its address": async (client) => {
    const set = await cast.owner.send("PUT", at("/picture"), picture);
    return (await client.get(set.json<Deployment>().picture ?? "")).status;
  },
  "app (project): see": async (client) => (await see(client)).status,
  "app (accounts): see": async (client) => {
    await deploymentOf(cast.owner, graph).changed({ access: "accounts" });
    return (await see(client)).status;
  },
  "app (people): see": async (client) => {
    await deploymentOf(cast.owner, graph).changed({ access: "people", people: ["admin"] });
    return (await see(client)).status;
  },
  "app (link): see": async (client) => {
    await deploymentOf(cast.owner, graph).changed({ access: "link" });
    const { sharing } = (await deploymentOf(cast.owner, graph).send("POST", "/link")).json<Deployment>();
    const headers = { "x-miranda-link": sharing?.link ?? "" };
    expect((await client.send("GET", `/api/v3/deployments/${app.name}`, undefined, headers)).status).toBe(200);
    return (await see(client)).status;
  },
  "app (project): see staging": async (client) =>
    (await client.get(`/api/v3/deployments/${app.name}?channel=staging`)).status,
  "app (project): mark as favourite": async (client) =>
    (await client.put(`/api/v3/deployments/${app.name}/favourite`, { favourite: true })).status,
  "room of a deployment: enter": async (client) => {
    const cookie = [...client.cookies].map(([key, value]) => `${key}=${value}`).join("; ");
    const listener = new SocketListener(server.url, cookie);
    const status = await listener.enter(app.id).then(
      () => 200,
      () => 404,
    );
    listener.close();
    return status;
  },
};

const isOurs = (resource: string): boolean =>
  /^(deployment|release|deployment token|link|hook|picture|app \(\w+\)|room of a deployment)$/.test(resource);

describe("who may do what with a deployment", () => {
  const cells = accessCells(isOurs);

  it("has an attempt for each row of the table, and a row for each attempt", () => {
    const rows = new Set(cells.map(({ resource, operation }) => `${resource}: ${operation}`));
    expect([...rows].toSorted()).toEqual(Object.keys(attempts).toSorted());
  });

  it.each(cells)("$resource, $operation: $role gets $status", async ({ resource, operation, role, status }) => {
    const attempt = attempts[`${resource}: ${operation}`];
    expect(statusInTable((await attempt?.(cast[role], role)) ?? 0)).toBe(status);
  });
});

describe("an editor who deployed", () => {
  it("may change what it costs and delete it, as the table says", async () => {
    const other = await buildGraph(cast, project, "Other");
    await buildFlow(cast.owner, other);
    await deployFlow(cast.editor, other, { name: `own-${count}` });
    expect((await deploymentOf(cast.editor, other).patch({ day_budget: 3 })).status).toBe(200);
    expect((await deploymentOf(cast.editor, other).remove()).status).toBe(204);
  });
});

describe("a deployment of another project", () => {
  it("cannot be reached through ids in bodies and addresses", async () => {
    const own = (await cast.stranger.post("/api/v3/projects/", { name: "Own", description: "" })).json<{
      id: string;
    }>();
    const made = await cast.stranger.post("/api/v3/graphs/", { name: "G", description: "", project_id: own.id });
    const mine = made.json<{ id: string }>().id;
    const { source } = await buildFlow(cast.stranger, mine);
    await versionsOf(cast.stranger, mine).made("First");
    const release = await releaseAsProposed(cast.stranger, mine);
    const theirs = await releaseAsProposed(cast.owner, graph);
    // Nodes of a workflow that the stranger cannot read.
    const foreign = await deploymentOf(cast.stranger, mine).deploy({
      ...{ name: `foreign-${count}`, title: "Foreign", release: { ...theirs, version: 1 } },
    });
    expect([foreign.status, foreign.text]).toEqual([400, expect.stringContaining("no such code block")]);
    // Ids and owners in the body change nothing.
    const body = { name: `mine-${count}`, title: "Mine", release, graph_id: graph, owner_id: cast.owner.account.id };
    const deployed = await deploymentOf(cast.stranger, mine).deployed({ ...body, id: app.id, production_id: app.id });
    expect(deployed).toMatchObject({ owner: { username: "stranger" }, graph: { id: mine } });
    expect(deployed.id).not.toBe(app.id);
    await deploymentOf(cast.stranger, mine).patch({ owner_id: cast.owner.account.id, graph_id: graph, link: "x" });
    expect(await deploymentOf(cast.stranger, mine).read()).toMatchObject({
      ...{ owner: { username: "stranger" }, sharing: { link: null }, graph: { id: mine } },
    });
    expect((await see(cast.stranger)).status).toBe(404);
    expect(source).toBeGreaterThan(0);
    await cast.stranger.delete(`/api/v3/projects/${own.id}?preview=false`);
  });
});
