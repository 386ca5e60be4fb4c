import { errors } from "@miranda/contract/errors.ts";
import { totalHeader } from "@miranda/contract/list-total.ts";
import type { AccessToken } from "@miranda/contract/schemas/auth.ts";
import type { Project } from "@miranda/contract/schemas/projects.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readConfig } from "../../platform/settings/config.ts";
import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addEndedSession } from "../../testing/billing.ts";
import { buildFlow, deployFlow } from "../../testing/deployments/deployments.ts";
import { TestClient } from "../../testing/test-client.ts";
import { password, startTestServer, type TestServer } from "../../testing/test-server.ts";
import { connect, refusalOf } from "../../testing/test-socket.ts";
import { type KnownRoute, readRoutes } from "./known-routes.ts";

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);
const hidden = "Zanzibar";
const nowhere = "00000000-0000-4000-8000-000000000000";

let server: TestServer;
let cast: Cast;
/** The token's own project, and another private one of the same person. */
let own: { project: string; graph: string; deployment: string };
let other: { project: string; graph: string; node: number; job: string };
let routes: KnownRoute[];
beforeAll(async () => {
  const { quotas } = readConfig({});
  server = await startTestServer({ quotas: { ...quotas, callsPerMinute: 0 } });
  cast = await signUpCast(server);
  const project = (await buildProject(cast)).id;
  const graph = await buildGraph(cast, project);
  await buildFlow(cast.owner, graph);
  await deployFlow(cast.owner, graph, { name: "own-app" });
  const apps = (await cast.owner.get("/api/v3/deployments/own-app")).json<{ id: string }>();
  own = { project, graph, deployment: apps.id };
  const secret = (await buildProject(cast, hidden)).id;
  const flow = await buildGraph(cast, secret, `${hidden} flow`);
  const { source } = await buildFlow(cast.owner, flow);
  await deployFlow(cast.owner, flow, { name: "other-app" });
  const job = await addEndedSession(server.db, cast.owner.account.id, flow, "1");
  other = { project: secret, graph: flow, node: source, job };
  routes = readRoutes(server.routeTree).filter(
    ({ method, url }) => methods.has(method) && /^\/(api\/v3|mlflow|mcp)(\/|$)/.test(url),
  );
});
afterAll(() => server.close());

async function tokenOf(form: Record<string, string>, person: TestClient = cast.owner): Promise<TestClient> {
  const made = await person.post("/api/v3/auth/access_tokens", { web_password: password, ...form });
  expect([made.status, made.text.slice(0, 12)]).toEqual([200, `{"token":"mi`]);
  const authorization = `Bearer ${made.json<{ token: string }>().token}`;
  return Object.assign(new TestClient(server.url), { headers: { authorization } });
}

/** The address of a route, about the other project wherever it names something. */
function addressIn({ url }: KnownRoute): string {
  const ids: [RegExp, string][] = [
    [/(\/projects\/):\w+/, other.project],
    [/(\/(?:mlflow|designer)\/):\w+/, other.project],
    [/(\/graphs\/):\w+/, other.graph],
    [/(\/objects\/):\w+/, String(other.node)],
    [/(\/jobs\/):\w+/, other.job],
    [/(\/deployments\/):\w+/, "other-app"],
    [/(\/library\/pictures\/):\w+/, "nothing"],
  ];
  const filled = ids.reduce((path, [pattern, id]) => path.replace(pattern, `$1${id}`), url);
  return filled
    .replaceAll(/:number|:version|:before|:after/g, "1")
    .replaceAll(/:\w+/g, nowhere)
    .replace(/\*$/, "x");
}

const body = () => JSON.stringify({ project_id: other.graph, graph_id: other.graph, name: "x", experiment_id: "0" });

async function callAll(client: TestClient, called: KnownRoute[]) {
  const answers: { route: string; status: number; text: string }[] = [];
  for (const route of called) {
    const sent = route.method === "GET" || route.method === "HEAD" ? undefined : body();
    const answer = await client.send(route.method, addressIn(route), sent, { "content-type": "application/json" });
    answers.push({ route: `${route.method} ${route.url}`, status: answer.status, text: answer.text });
  }
  return answers;
}

describe("a token of one project", () => {
  it("finds nothing of another project, by any route of the server", { timeout: 120_000 }, async () => {
    const program = await tokenOf({ project_id: own.project, scope: "write", name: "CI" });
    const seen = async () =>
      Promise.all(
        [`projects/${other.project}`, `projects/${other.project}/members`, `graphs/${other.graph}/graph`].map(
          async (path) => (await cast.owner.get(`/api/v3/${path}`)).text,
        ),
      );
    const before = await seen();
    expect(routes.length).toBeGreaterThan(250);
    const answers = await callAll(program, routes);
    // Lists and settings that are not about one project. What they show is checked below.
    const open = new Set([
      ...["GET /api/v3/auth", "HEAD /api/v3/auth", "GET /api/v3/settings", "HEAD /api/v3/settings"],
      ...["GET /api/v3/deployments", "HEAD /api/v3/deployments", "GET /api/v3/runs", "HEAD /api/v3/runs"],
      ...["GET /api/v3/projects", "HEAD /api/v3/projects"],
      ...["GET /api/v3/projects/shared", "HEAD /api/v3/projects/shared"],
    ]);
    const passed = answers.filter(({ status }) => status < 400).map(({ route }) => route.replace(/\/$/, ""));
    // These answer everybody, also about projects that do not exist.
    const same = /^(GET|HEAD) \/mlflow\/:projectId(\/(health|version))?$/;
    expect(passed.filter((route) => !open.has(route) && !same.test(route))).toEqual([]);
    expect(answers.filter(({ text }) => text.includes(hidden))).toEqual([]);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    expect(await seen()).toEqual(before);
  });

  it("works in its project, and shows only what belongs to it", async () => {
    const program = await tokenOf({ project_id: own.project });
    expect((await program.get(`/api/v3/projects/${own.project}`)).status).toBe(200);
    expect((await program.patch(`/api/v3/projects/${own.project}`, { description: "By CI." })).status).toBe(200);
    expect((await program.post("/api/v3/graphs/", { name: "New", project_id: own.project })).status).toBe(200);
    expect((await program.post("/api/v3/graphs/", { name: "New", project_id: other.project })).status).toBe(404);
    expect((await program.get("/api/v3/deployments")).text).not.toContain("other-app");
    expect((await program.get("/api/v3/deployments/own-app")).status).toBe(200);
    const list = (await cast.owner.get("/api/v3/auth/access_tokens")).json<AccessToken[]>();
    expect(list[0]).toMatchObject({ scope: "write", limited_to: { kind: "project", id: own.project, name: "Tides" } });
  });

  it("lists this project alone, and counts no other", async () => {
    const listed = async (client: TestClient, list: string) => {
      const answer = await client.get(`/api/v3/projects${list}`);
      return [answer.json<Project[]>().map(({ id }) => id), answer.headers.get(totalHeader)];
    };
    const program = await tokenOf({ project_id: own.project, scope: "read" });
    expect(await listed(program, "/")).toEqual([[own.project], "1"]);
    expect(await listed(program, "/?query=zanzibar")).toEqual([[], "0"]);
    expect(await listed(program, "/shared")).toEqual([[], "0"]);
    await cast.owner.post(`/api/v3/projects/${other.project}/members`, { user: "editor", role: "editor" });
    const editor = await tokenOf({ project_id: own.project, scope: "read" }, cast.editor);
    expect(await listed(editor, "/")).toEqual([[], "0"]);
    expect(await listed(editor, "/shared")).toEqual([[own.project], "1"]);
    await cast.owner.delete(`/api/v3/projects/${other.project}/members/${cast.editor.account.id}`);
    const writer = await tokenOf({ project_id: own.project, scope: "write" });
    expect((await writer.post("/api/v3/projects/", { name: "New" })).text).toBe(errors.token_one_project);
  });

  it("of an administrator reaches nobody else's project, and ends with the membership", async () => {
    const admin = await tokenOf({ scope: "write" }, cast.admin);
    expect((await admin.get(`/api/v3/projects/${own.project}`)).status).toBe(404);
    expect((await admin.get("/api/v3/admin/audit")).text).toBe(errors.session_only);
    const editor = await tokenOf({ project_id: own.project }, cast.editor);
    await cast.owner.delete(`/api/v3/projects/${own.project}/members/${cast.editor.account.id}`);
    expect((await editor.get(`/api/v3/projects/${own.project}`)).status).toBe(404);
    await cast.owner.post(`/api/v3/projects/${own.project}/members`, { user: "editor", role: "editor" });
  });

  it("hears and changes nothing elsewhere through a socket", async () => {
    const program = await tokenOf({ project_id: own.project });
    const socket = await connect(server, program, { extraHeaders: program.headers });
    expect(await socket.enter(own.graph)).toBeNull();
    expect(await socket.enter(other.graph)).toBe(errors.graph_not_found);
    const reader = await tokenOf({ scope: "read" });
    const reading = await connect(server, reader, { extraHeaders: reader.headers });
    expect(await reading.enter(own.graph)).toBeNull();
    expect(await reading.broadcast("update[wob]", {})).toBe(errors.graph_read_only);
    const caller = await tokenOf({ deployment_id: own.deployment });
    expect(await refusalOf(server, caller, { extraHeaders: caller.headers })).toBe(errors.token_scope);
    socket.close();
    reading.close();
  });
});

describe("a token that may only read", () => {
  it("changes nothing, by any route of the server", { timeout: 120_000 }, async () => {
    const reader = await tokenOf({ scope: "read" });
    const changing = routes.filter(({ method }) => method !== "GET" && method !== "HEAD");
    const answers = await callAll(reader, changing);
    // Unknown addresses are not found, whoever asks.
    const passed = answers.filter(({ route, status }) => status !== 403 && !route.endsWith("/:projectId*"));
    // Clients of MLflow search by POST. They only read.
    const searches = /^POST \/mlflow\/:projectId\/.*(search|history|get-latest|\/get|list|server-info|version)/;
    expect(passed.filter(({ route }) => !searches.test(route)).map(({ route, status }) => [route, status])).toEqual([]);
    expect((await reader.get(`/api/v3/projects/${own.project}`)).status).toBe(200);
  });
});

describe("a token", () => {
  it("that may run starts runs and calls, and changes nothing", async () => {
    const runner = await tokenOf({ scope: "run" });
    const refused = await runner.patch(`/api/v3/projects/${own.project}`, { name: "Mine" });
    expect([refused.status, refused.text]).toEqual([
      403,
      "This token may not change anything. Use a token that may write.",
    ]);
    expect((await runner.post(`/api/v3/graphs/${own.graph}/run-check`, {})).status).not.toBe(403);
    expect((await runner.post("/api/v3/deployments/own-app/runs", {})).status).not.toBe(403);
  });

  it("moves no credits, and gives nobody access or the project", async () => {
    const { project } = own;
    const path = `/api/v3/projects/${project}`;
    // Not the balance: calls of other tests may still cost something.
    const seen = async () =>
      Promise.all(
        ["/api/v3/billing/ledger?kind=fill", `${path}/members`, `${path}/purse`, `${path}/billing/budget`].map(
          async (at) => (await cast.owner.get(at)).text,
        ),
      );
    const before = await seen();
    for (const form of [{ scope: "write" }, { scope: "write", project_id: project }]) {
      const program = await tokenOf(form);
      const { id: editor } = cast.editor.account;
      const answers = [
        await program.post(`${path}/purse/fill`, { amount: "10" }),
        await program.put(`${path}/purse`, { in_use: "true" }),
        await program.post(`${path}/purse/close`),
        await program.put(`${path}/billing/budget`, { amount: "1000", at_full: "warn" }),
        await program.delete(`${path}/billing/budget`),
        await program.post(`${path}/transfer`, { user: "stranger" }),
        await program.post(`${path}/members`, { user: "stranger", role: "editor" }),
        await program.delete(`${path}/members/${editor}`),
        await program.post(`${path}/invitations`, { email: "new@example.org", role: "editor" }),
        await program.post("/api/v3/teams", { name: "Ours" }),
      ];
      expect(answers.map(({ status, text }) => [status, text])).toEqual(answers.map(() => [403, errors.session_only]));
      // What they read is still theirs to read.
      expect((await program.get(`${path}/members`)).status).toBe(200);
      expect((await program.get(`${path}/purse`)).status).toBe(200);
    }
    expect(await seen()).toEqual(before);
  });

  it("of one deployment uses this one only", async () => {
    const caller = await tokenOf({ deployment_id: own.deployment });
    expect((await caller.get("/api/v3/deployments/own-app")).status).toBe(200);
    expect((await caller.get("/api/v3/deployments/other-app")).status).toBe(404);
    expect((await caller.get(`/api/v3/projects/${own.project}`)).text).toBe(errors.token_scope);
  });

  it("ends on its day", async () => {
    const program = await tokenOf({ expires_days: "7", scope: "read" });
    expect((await program.get("/api/v3/projects/")).status).toBe(200);
    const past = { expires_at: new Date(Date.now() - 1_000) };
    await server.db.updateTable("access_tokens").set(past).where("expires_at", "is not", null).execute();
    expect((await program.get("/api/v3/projects/")).status).toBe(401);
  });

  it.each([
    [{ scope: "admin" }, 400, "Scope must be all, read, run or write."],
    [{ expires_days: "0" }, 400, "Days must be a whole number from 1 to 365."],
    [{ scope: "all", project_id: "own" }, 400, "A token of one project may read, run or write."],
    [{ scope: "write", deployment_id: "own" }, 400, "A token of one deployment may read or run."],
    [{ project_id: "own", deployment_id: "own" }, 400, "Choose one project or one deployment, not both."],
    [{ project_id: nowhere }, 404, errors.project_not_found],
    [{ deployment_id: nowhere }, 404, errors.deployment_not_found],
  ])("is refused with %j, and nothing is made", async (given, status, words) => {
    const form = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [
        name,
        value === "own" ? (name === "project_id" ? own.project : own.deployment) : value,
      ]),
    );
    const count = async () => (await cast.stranger.get("/api/v3/auth/access_tokens")).json<AccessToken[]>().length;
    const before = await count();
    const answer = await cast.stranger.post("/api/v3/auth/access_tokens", { web_password: password, ...form });
    expect([answer.status, answer.text]).toEqual([status, words]);
    expect(await count()).toBe(before);
  });
});
