import { errorHeader } from "@miranda/contract/error-headers.ts";
import { errors } from "@miranda/contract/errors.ts";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";

import { startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let person: TestAccount;
let projectId: string;
beforeAll(async () => {
  server = await startTestServer();
  person = await server.signUp();
  projectId = (await person.post("/api/v3/projects/", { name: "Tides", description: "" })).json<{ id: string }>().id;
});
afterAll(() => server.close());

/** Whoever asks for projects waits until it is released. */
async function holdProjects(): Promise<() => Promise<void>> {
  const client = new pg.Client(server.databaseUrl);
  await client.connect();
  await client.query("begin; lock table projects in access exclusive mode");
  return async () => {
    await client.query("rollback");
    await client.end();
  };
}

const read = () => person.get(`/api/v3/projects/${projectId}`);
const readAtOnce = (count: number) => Promise.all(Array.from({ length: count }, read));
const statusesOf = (answers: readonly { status: number }[]) => new Set(answers.map(({ status }) => status));

it("refuses at once what would wait behind others, and answers all that waits", async () => {
  const release = await holdProjects();
  // More than there are connections.
  const waiting = readAtOnce(25);
  await sleep(2_500);
  const began = performance.now();
  const refused = await person.patch(`/api/v3/projects/${projectId}`, { name: "Other" });
  expect(performance.now() - began).toBeLessThan(1_000);
  expect([refused.status, refused.text]).toEqual([503, errors.server_busy]);
  expect([refused.headers.get("retry-after"), refused.headers.get(errorHeader)]).toEqual(["2", "server_busy"]);
  const tracking = await fetch(`${server.url}/mlflow/${projectId}/api/2.0/mlflow/experiments/search?max_results=1`);
  expect([tracking.status, tracking.headers.get("retry-after")]).toEqual([503, "2"]);
  // What needs no database, or tells how it is, is answered.
  expect((await fetch(`${server.url}/`)).status).toBe(200);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  await release();
  expect(statusesOf(await waiting)).toEqual(new Set([200]));
  expect((await read()).text).toContain("Tides");
}, 30_000);

it("says that it is busy, and not that something is wrong, when a connection does not become free in time", async () => {
  const release = await holdProjects();
  const waiting = readAtOnce(25);
  await sleep(11_000);
  await release();
  const answers = await waiting;
  expect(statusesOf(answers)).toEqual(new Set([200, 503]));
  const busy = answers.find(({ status }) => status === 503);
  expect([busy?.text, busy?.headers.get("retry-after")]).toEqual([errors.server_busy, "2"]);
  expect((await read()).status).toBe(200);
}, 40_000);
