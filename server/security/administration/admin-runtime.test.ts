import type { PriceList } from "@miranda/contract/schemas/billing/prices.ts";
import { errors } from "@miranda/contract/errors.ts";
import { hostname } from "node:os";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { newId } from "../../platform/crypto.ts";
import { buildGraph, buildProject, type Cast, signUpCast, readCells, roles } from "../../testing/access.ts";
import type { Answer, TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { giveToken } from "../../testing/workbench.ts";

// Every cell of docs/spec/access-admin-sessions.tsv.

const cells = readCells("admin-sessions", roles);

let server: TestServer;
let cast: Cast;
let project: string;
let graph: string;
const machine = encodeURIComponent(`local:${hostname()}`);
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  ({ id: project } = await buildProject(cast));
  graph = await buildGraph(cast, project);
});
afterAll(() => server.close());

/** A session that exists in the database only. */
async function addSession(state: "READY" | "QUEUED"): Promise<string> {
  await sql`delete from jobs`.execute(server.db);
  const id = newId();
  await sql`insert into jobs (id, tag, graph_id, account_id, name, engine, state, seen_at, engine_ref)
    values (${id}, 1, ${graph}, ${cast.owner.account.id}, 'Flow', 'elsewhere', ${state}, now() + interval '1 hour', '{"host":"x"}')`.execute(
    server.db,
  );
  return id;
}

const admin = "/api/v3/admin";
const why = { reason: "Maintenance" };
const prices = async (client: TestClient): Promise<Answer[]> => {
  const { rows } = await sql<{ version: number }>`select count(*) + count(withdrawn_at) as version from prices`.execute(
    server.db,
  );
  const version = rows[0]?.version ?? 0;
  const from = new Date(Date.now() + 86_400_000 + version).toISOString();
  const set = await client.post(`${admin}/prices`, { core_hour: "1", ram_gb_hour: "1", hour: "1", from, version });
  const id = set.status === 200 ? set.json<PriceList>().prices.find((one) => one.from === from)?.id : 1;
  return [
    await client.get(`${admin}/prices`),
    set,
    await client.post(`${admin}/prices/${id}/withdraw`, { version: version + 1 }),
  ];
};

const attempts: Record<string, (client: TestClient) => Promise<Answer[]>> = {
  "prices: read the current ones": async (client) => [await client.get("/api/v3/prices")],
  "prices: list, set, withdraw": prices,
  "running sessions: list, search": (client) =>
    Promise.all(["", "?query=flow"].map((query) => client.get(`${admin}/sessions${query}`))),
  "running session: stop": async (client) => [
    await client.post(`${admin}/sessions/${await addSession("READY")}/stop`, why),
  ],
  "queue: list": async (client) => [await client.get(`${admin}/queue`)],
  "queue: remove": async (client) => [await client.post(`${admin}/queue/${await addSession("QUEUED")}/remove`, why)],
  "machines: list, close, open": async (client) => [
    await client.get(`${admin}/machines`),
    await client.post(`${admin}/machines/${machine}/close`, { note: "" }),
    await client.post(`${admin}/machines/${machine}/open`),
  ],
  "storage: list, look at one": (client) =>
    Promise.all(["", `/${project}`].map((path) => client.get(`${admin}/storage${path}`))),
  "storage: free": (client) =>
    Promise.all(
      ["trash", "results", "logs"].map((kind) => client.post(`${admin}/storage/${project}/free`, { kind, days: 0 })),
    ),
};

describe("who administers what runs", () => {
  it.each(cells)("%s, %s: %i", async (what, role, status) => {
    const answers = await attempts[what]?.(cast[role]);
    expect(answers?.map((answer) => answer.status)).toEqual(answers?.map(() => status));
    if (status === 403) expect(answers?.map(({ text }) => text)).toEqual(answers?.map(() => errors.not_admin));
    expect(answers?.length).toBeGreaterThan(0);
  });
});

it("shows names and figures of a private workflow, and nothing of what is in it", async () => {
  await addSession("READY");
  await sql`update jobs set description = 'hidden words', paused = '{"hidden":"words"}', demand = '{"image":"hidden-words"}'`.execute(
    server.db,
  );
  for (const path of ["sessions", "queue"]) {
    const { status, text } = await cast.admin.get(`${admin}/${path}`);
    expect([status, /hidden.words/.test(text)]).toEqual([200, false]);
  }
});

it("refuses administrators who no longer are, with the same sign-in and the same token, and changes nothing", async () => {
  const former = await server.signUp("former");
  const setAdmin = (is_admin: boolean) =>
    server.db.updateTable("accounts").set({ is_admin }).where("id", "=", former.account.id).execute();
  await setAdmin(true);
  const program = server.anonymous();
  program.headers = { authorization: `Bearer ${await giveToken(former)}` };
  expect((await former.get(`${admin}/sessions`)).status).toBe(200);
  await setAdmin(false);
  const id = await addSession("READY");
  for (const client of [former, program])
    expect(await client.post(`${admin}/sessions/${id}/stop`, why)).toMatchObject({
      status: 403,
      text: errors.not_admin,
    });
  const { state } = await server.db.selectFrom("jobs").select("state").where("id", "=", id).executeTakeFirstOrThrow();
  expect(state).toBe("READY");
  await setAdmin(true);
  await former.delete("/api/v3/auth");
  expect((await former.post(`${admin}/sessions/${id}/stop`, why)).status).toBe(401);
});

it("refuses hostile ids, searches and reasons", async () => {
  const { admin: person } = cast;
  const statuses = await Promise.all([
    person.post(`${admin}/sessions/${newId()}/stop`, why).then(({ status }) => status),
    person.post(`${admin}/sessions/x/stop`, why).then(({ status }) => status),
    person.post(`${admin}/queue/${newId()}/remove`, why).then(({ status }) => status),
    person.post(`${admin}/machines/${encodeURIComponent("local:' or 1=1")}/close`, {}).then(({ status }) => status),
    person.get(`${admin}/storage/${newId()}`).then(({ status }) => status),
    person.post(`${admin}/storage/${project}/free`, { kind: "models" }).then(({ status }) => status),
    person.post(`${admin}/storage/${project}/free`, { kind: "logs", days: -1 }).then(({ status }) => status),
    person.post(`${admin}/prices/99999/withdraw`, { version: 10_000 }).then(({ status }) => status),
    person.get(`${admin}/sessions?query=${"x".repeat(300)}`).then(({ status }) => status),
    person.get(`${admin}/sessions?limit=100000`).then(({ status }) => status),
    person.get(`${admin}/sessions?query=${encodeURIComponent("%'; drop table jobs")}`).then(({ status }) => status),
  ]);
  expect(statuses).toEqual([404, 404, 404, 404, 404, 400, 400, 409, 400, 400, 200]);
  const id = await addSession("READY");
  for (const reason of ["", "   ", "x".repeat(501)])
    expect((await person.post(`${admin}/sessions/${id}/stop`, { reason })).status).toBe(400);
});
