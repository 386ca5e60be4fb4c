import type { Call } from "@miranda/contract/schemas/deployments/calls.ts";
import type { Deployment } from "@miranda/contract/schemas/deployments/deployments.ts";
import { sql } from "kysely";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { newId } from "../../platform/crypto.ts";
import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { buildFlow, deployFlow, deploymentOf } from "../../testing/deployments/deployments.ts";
import { callsOf } from "../../testing/deployments/served.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

// What little can be sent to make the server work, wait or keep much.

let server: TestServer;
let cast: Cast;
let graph: string;
let target: number;
let app: Deployment;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  const project = await buildProject(cast);
  graph = await buildGraph(cast, project.id);
  ({ target } = await buildFlow(cast.owner, graph));
  app = await deployFlow(cast.owner, graph, { name: "tides", access: "accounts" });
});
afterAll(() => server.close());

const at = (id: string, path = "") => `/api/v3/deployments/${app.name}/runs/${id}${path}`;

/** A call of the owner that has ended, with what its node sent. */
async function storeCall(...sent: object[]): Promise<string> {
  const [id, jobId] = [newId(), newId()];
  const account_id = cast.owner.account.id;
  await server.db
    .insertInto("jobs")
    .values({
      ...{ id: jobId, tag: 1, graph_id: graph, account_id, name: "x", engine: "local", state: "EXITED" },
      ...{ token_hash: Buffer.from(jobId), total_cost: null },
    })
    .execute();
  await server.db
    .insertInto("calls")
    .values({
      ...{
        id,
        deployment_id: app.id,
        release_id: app.production?.id ?? "",
        via: "explorer",
        account_id,
        state: "done",
      },
      ...{ inputs: "{}", began_at: new Date(), ended_at: new Date() },
    })
    .execute();
  await server.db
    .insertInto("runs")
    .values({
      ...{ id, graph_id: graph, account_id, job_id: jobId, session_tag: 1, session_name: "x", number: 1, command: 1 },
      ...{ mode: "all", graph_revision: 1, first_line: 1, state: "done", ended_at: new Date() },
    })
    .execute();
  for (const [index, data] of sent.entries())
    await server.db
      .insertInto("job_outputs")
      .values({
        ...{ job_id: jobId, node_id: target, run: 1, number: index + 1, show_id: null },
        ...{ data: JSON.stringify(data), metadata: JSON.stringify({ transmitter: "result" }) },
      })
      .execute();
  return id;
}

describe("a table of a call", () => {
  const table = "application/vnd.miranda.table+json";
  const many = Array.from({ length: 5_000 }, (_, index) => `k${index}`);

  it("is made of few empty cells only: the others would be endless", async () => {
    const id = await storeCall(
      { "application/json": many.map((name) => ({ [name]: 1 })) },
      { [table]: { columns: many.map((name) => ({ name })), rows: many.map(() => []) }, "text/plain": "wide" },
      { [table]: { columns: [{ name: "a" }, { name: "b" }], rows: [[1, 2], [3]] } },
      { "application/json": [{ a: 1 }, { b: "x" }] },
    );
    const began = performance.now();
    const seen = (await cast.owner.get(at(id))).json<Call>();
    expect(seen.outputs).toHaveLength(4);
    const statuses = [];
    for (const path of ["1?format=csv", "1", "1?format=json", "2?format=csv", "2"])
      statuses.push((await cast.owner.get(at(id, `/files/${path}`))).status);
    expect(statuses).toEqual([404, 200, 200, 404, 200]);
    expect(performance.now() - began).toBeLessThan(3_000);
    expect((await cast.owner.get(at(id, "/files/3"))).text).toBe("\uFEFFa,b\r\n1,2\r\n3,\r\n");
    expect((await cast.owner.get(at(id, "/files/4?format=csv"))).text).toBe("\uFEFFa,b\r\n1,\r\n,x\r\n");
  });
});

describe("a stream of a call", () => {
  it("is counted no longer when its client leaves before the answer", async () => {
    const id = await storeCall();
    await server.db.updateTable("calls").set({ state: "running", ended_at: null }).where("id", "=", id).execute();
    const cookie = [...cast.owner.cookies].map(([key, value]) => `${key}=${value}`).join("; ");
    const { hostname, port } = new URL(server.url);
    for (let delay = 0; delay < 40; delay++) {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => undefined);
      await once(socket, "connect");
      socket.write(`GET ${at(id, "/events")} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncookie: ${cookie}\r\n\r\n`);
      // The authentication and the reading of the call take some of these milliseconds.
      await setTimeout(delay / 4);
      socket.destroy();
    }
    const open = async (): Promise<number> => {
      const stop = new AbortController();
      const { status } = await fetch(`${server.url}${at(id, "/events")}`, { headers: { cookie }, signal: stop.signal });
      stop.abort();
      return status;
    };
    await expect.poll(open, { timeout: 10_000, interval: 500 }).toBe(200);
    await server.db.updateTable("calls").set({ state: "done", ended_at: new Date() }).where("id", "=", id).execute();
  });
});

describe("a call that is refused", () => {
  const content = btoa("kept for nothing");
  const countFiles = async (): Promise<number> => {
    const { rows } = await sql<{ count: number }>`select count(*)::integer as count from node_files`.execute(server.db);
    return rows[0]?.count ?? 0;
  };

  it("stores no file, and a repeated key is answered with the earlier call", async () => {
    const calls = callsOf(cast.stranger, app.name);
    const key = { "idempotency-key": "sheet" };
    const sent = { data: { name: "a.csv", content: btoa("x") } };
    const first = (await calls.send(sent, "", key)).json<Call>();
    const before = await countFiles();
    const setCredits = (credits: number) =>
      server.db.updateTable("accounts").set({ credits }).where("id", "=", cast.owner.account.id).execute();
    await setCredits(0);
    const form = new FormData();
    form.set("data", new File(["kept for nothing"], "a.csv"));
    const refused = [await calls.send({ data: { name: "a.csv", content } }), await calls.sendForm(form)];
    expect(refused.map(({ headers }) => headers.get("x-miranda-error"))).toEqual(["call_unpaid", "call_unpaid"]);
    expect(await countFiles()).toBe(before);
    expect((await calls.send(sent, "", key)).json<Call>().id).toBe(first.id);
    await setCredits(100);
  });
});

describe("tokens of one account", () => {
  it("do not meet each other's keys", async () => {
    const make = async (token: string, rate: number): Promise<Call> => {
      const headers = { authorization: `Bearer ${token}`, "idempotency-key": "k".repeat(200) };
      return (await callsOf(cast.anonymous, app.name).send({ rate }, "", headers)).json<Call>();
    };
    const one = await deploymentOf(cast.owner, graph).token();
    const other = await deploymentOf(cast.owner, graph).token();
    const made = await make(one, 1);
    expect((await make(other, 2)).id).not.toBe(made.id);
    expect((await make(one, 1)).id).toBe(made.id);
  });
});
