import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast, readCells, roles } from "../../testing/access.ts";
import { addEndedSession, bookUsage } from "../../testing/billing.ts";
import type { Answer, TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

// Every cell of docs/spec/access-billing.tsv.

const cells = readCells("billing", roles);

let server: TestServer;
let cast: Cast;
let project: string;
let graph: string;
let job: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  ({ id: project } = await buildProject(cast));
  graph = await buildGraph(cast, project);
  const accountId = cast.owner.account.id;
  job = await addEndedSession(server.db, accountId, graph, "1");
  const at = new Date().toISOString();
  await bookUsage(server.db, { accountId, projectId: project, graphId: graph, jobId: job, at, amount: "1" });
});
afterAll(() => server.close());

const reads = ["", "/days", "/parts", "/ledger", "/ledger.csv"];
const budget = { amount: "1000", at_full: "warn" };
const setAndRemove = async (client: TestClient, path: string): Promise<Answer[]> => [
  await client.put(path, budget),
  await client.delete(path),
];

const attempts: Record<string, (client: TestClient) => Promise<Answer[]>> = {
  "own spending: summary, days, parts, ledger, CSV": (client) =>
    Promise.all(reads.map((path) => client.get(`/api/v3/billing${path}`))),
  "own budget: read, set, remove": async (client) => [
    await client.get("/api/v3/billing/budget"),
    ...(await setAndRemove(client, "/api/v3/billing/budget")),
  ],
  "project spending: summary, days, parts, ledger, CSV": (client) =>
    Promise.all(reads.map((path) => client.get(`/api/v3/projects/${project}/billing${path}`))),
  "project budget: read": async (client) => [await client.get(`/api/v3/projects/${project}/billing/budget`)],
  "project budget: set, remove": (client) => setAndRemove(client, `/api/v3/projects/${project}/billing/budget`),
  "purse: read": (client) =>
    Promise.all([`projects/${project}`, `graphs/${graph}`].map((path) => client.get(`/api/v3/${path}/purse`))),
  "purse: fill": async (client) => [await client.post(`/api/v3/projects/${project}/purse/fill`, { amount: "0.5" })],
  "purse: choose, close": async (client) => [
    await client.put(`/api/v3/projects/${project}/purse`, { in_use: "true" }),
    await client.post(`/api/v3/projects/${project}/purse/close`),
  ],
  "session spending: read, samples": (client) =>
    Promise.all(["", "/samples"].map((path) => client.get(`/api/v3/billing/sessions/${job}${path}`))),
  "grant: make": async (client) => [
    await client.post("/api/v3/admin/grants", { key: "cell", account: "viewer", amount: "1", note: "Test" }),
  ],
  "grant: correct, list": async (client) => [
    await client.post("/api/v3/admin/grants/corrections", { key: "fix", grant: "cell", reason: "Test" }),
    await client.get(`/api/v3/admin/people/${cast.viewer.account.id}/grants`),
  ],
  "installation spending: read, CSV": (client) =>
    Promise.all(["", ".csv"].map((ending) => client.get(`/api/v3/admin/spending${ending}`))),
};

describe("who may see and limit what is spent", () => {
  it.each(cells)("%s, %s: %i", async (what, role, status) => {
    const answers = await attempts[what]?.(cast[role]);
    expect(answers?.map((answer) => answer.status)).toEqual(answers?.map(() => status));
    expect(answers?.length).toBeGreaterThan(0);
  });

  it("shows the session of a project to its owner only", async () => {
    const path = `/api/v3/projects/${project}/billing/sessions/${job}`;
    const statuses = await Promise.all(roles.map(async (role) => (await cast[role].get(path)).status));
    expect(statuses).toEqual([401, 404, 403, 403, 200, 200]);
  });

  it("hides the balance of a purse from readers of a public project", async () => {
    await cast.owner.patch(`/api/v3/projects/${project}`, { visibility: "public" });
    expect((await cast.stranger.get(`/api/v3/projects/${project}/purse`)).json()).toMatchObject({ balance: null });
    expect((await cast.stranger.post(`/api/v3/projects/${project}/purse/fill`, { amount: "1" })).status).toBe(403);
  });
});
