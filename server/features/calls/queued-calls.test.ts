import { request } from "node:http";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { deploymentOf } from "../../testing/deployments/deployments.ts";
import { callsOf, serveAsProposed } from "../../testing/deployments/served.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { versionsOf } from "../../testing/versions/versions.ts";
import { Workbench } from "../../testing/workbench.ts";

let server: TestServer;
let folder: string;
beforeAll(async () => {
  server = await startTestServer();
  folder = await mkdtemp(join(tmpdir(), "miranda-gate-"));
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

/** Waits for a file before it answers, when the call asks for that. */
const gated = (gate: string, times: number, more = ""): string => `from miranda import *

class Multiply(Node):
    number = Field(1, control=Number())
    waits = Field(False, control=Toggle())
${more}
    product = Transmitter()
    def run(self):
        import os, time
        while self.waits and not os.path.exists(${JSON.stringify(gate)}):
            time.sleep(0.01)
        self.product.send(self.number * ${times})
`;

/** A deployment whose newest release is the second one. */
async function buildTwo(name: string, more = "") {
  const gate = join(folder, name);
  const bench = await Workbench.open(server);
  const node = await bench.node(gated(gate, 2), "Multiply");
  const { id } = await serveAsProposed(bench, { name, at_once: 1, queue_max: 50 });
  await bench.code(node, gated(gate, 100, more));
  const version = await versionsOf(bench.owner, bench.graphId).made("Wrong", { publish: true });
  const deployed = deploymentOf(bench.owner, bench.graphId);
  const { fields, outputs, steps } = await deployed.proposal(version.number ?? 2);
  const all = fields.map(({ node_name: _node, ticked: _ticked, ...field }) => field);
  const shown = outputs.map(({ node_name: _node, ticked: _ticked, ...output }) => output);
  const form = { fields: all, outputs: shown, steps };
  await deployed.released({ version: version.number ?? 2, form, channel: "production" });
  const calls = callsOf(bench.owner, name);
  const { serve } = deployed;
  const releaseOf = async (callId: string) => (await calls.read(callId)).app.release;
  const running = await calls.made({ waits: true });
  await expect.poll(async () => (await calls.read(running.id)).state, { timeout: 20_000 }).toBe("running");
  return { bench, id, calls, serve, releaseOf, running, open: () => writeFile(gate, "") };
}

describe("a roll back while calls run and wait", () => {
  it("lets running calls end where they run, and moves waiting ones to the release that is served now", async () => {
    const { calls, serve, running, open } = await buildTwo("rolled");
    const waiting = [await calls.made({ number: 2 }), await calls.made({ number: 3 })];
    expect((await serve("production", 1)).status).toBe(200);
    const next = await calls.made({ number: 4 });
    for (const { id } of [...waiting, next])
      expect(await calls.read(id)).toMatchObject({ state: "queued", app: { release: 1 } });
    expect(await calls.read(running.id)).toMatchObject({ state: "running", app: { release: 2 } });
    await open();
    expect(await calls.ended(running.id)).toMatchObject({
      state: "done",
      app: { release: 2 },
      result: { product: 100 },
    });
    for (const [at, { id }] of [...waiting, next].entries())
      expect(await calls.ended(id)).toMatchObject({
        state: "done",
        app: { release: 1 },
        result: { product: (at + 2) * 2 },
      });
  });

  it("keeps calls with their release when their values do not fit the other one", async () => {
    const more = `    unit = Field(control=Text())\n`;
    const { calls, serve, releaseOf, open } = await buildTwo("fitting", more);
    const [plain, special] = [await calls.made({ number: 2 }), await calls.made({ number: 3, unit: "m" })];
    await serve("production", 1);
    expect([await releaseOf(plain.id), await releaseOf(special.id)]).toEqual([1, 2]);
    await open();
    expect(await calls.ended(special.id)).toMatchObject({
      state: "done",
      result: { product: 300 },
      inputs: { unit: "m" },
    });
    expect(await calls.ended(plain.id)).toMatchObject({ state: "done", result: { product: 4 } });
  });

  it("leaves the other channel, and calls whose channel serves nothing now", async () => {
    const { calls, serve, bench, releaseOf, open } = await buildTwo("channels");
    await serve("staging", 2);
    const staged = await bench.owner.postJson(`${calls.at}?channel=staging`, { number: 2 });
    expect(staged.status).toBe(202);
    const { id } = staged.json<{ id: string }>();
    await serve("production", 1);
    expect(await releaseOf(id)).toBe(2);
    await serve("staging", null);
    expect(await releaseOf(id)).toBe(2);
    await open();
    expect(await calls.ended(id)).toMatchObject({ state: "done", result: { product: 200 } });
  });

  it("moves a call whose values were still being sent", async () => {
    const { calls, serve, bench, releaseOf, open } = await buildTwo("sending");
    const cookie = [...bench.owner.cookies].map(([key, value]) => `${key}=${value}`).join("; ");
    const headers = { cookie, "content-type": "multipart/form-data; boundary=x" };
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const sending = request(`${server.url}${calls.at}`, { method: "POST", headers }, (response) => {
      let text = "";
      response.on("data", (part) => (text += part));
      response.on("end", () => resolve(text));
    });
    sending.on("error", reject);
    sending.write('--x\r\ncontent-disposition: form-data; name="number"\r\n\r\n7');
    await expect.poll(() => sending.socket?.bytesWritten ?? 0).toBeGreaterThan(100);
    await serve("production", 1);
    sending.end("\r\n--x--\r\n");
    const { id } = JSON.parse(await promise) as { id: string };
    expect(await releaseOf(id)).toBe(1);
    await open();
    expect(await calls.ended(id)).toMatchObject({ state: "done", result: { product: 14 } });
  });
});

describe("a deployment that is deleted", () => {
  it("ends the call that runs, forgets those that wait, and opens nothing more", async () => {
    const { bench, id, calls, running } = await buildTwo("deleted");
    const waiting = await calls.made();
    expect((await deploymentOf(bench.owner, bench.graphId).remove()).status).toBe(204);
    for (const { id: callId } of [running, waiting]) expect((await calls.get(callId)).status).toBe(404);
    expect((await calls.send({})).status).toBe(404);
    const run = () => server.db.selectFrom("runs").select(["state", "reason"]).where("id", "=", running.id).execute();
    const reason = "The session was stopped: its deployment was deleted.";
    await expect.poll(run, { timeout: 20_000 }).toEqual([{ state: "lost", reason }]);
    expect(await server.db.selectFrom("runs").select("id").where("id", "=", waiting.id).execute()).toEqual([]);
    const alive = () =>
      server.db
        .selectFrom("jobs")
        .select("id")
        .where("deployment_id", "=", id)
        .where("state", "not in", ["ERROR", "EXITED"])
        .execute();
    await expect.poll(alive, { timeout: 20_000 }).toEqual([]);
  });

  it("may have very many calls, and others are served meanwhile", async () => {
    const [many, other] = [await Workbench.open(server), await Workbench.open(server)];
    const gate = join(folder, "many");
    await writeFile(gate, "");
    for (const bench of [many, other]) await bench.node(gated(gate, 2), "Multiply");
    const { id, production } = await serveAsProposed(many, { name: "many" });
    await serveAsProposed(other, { name: "other" });
    await sql`insert into calls (id, deployment_id, release_id, via, account_id, inputs, state, ended_at)
      select gen_random_uuid(), ${id}, ${production?.id}, 'api', ${many.owner.account.id}, '{"number": 1}',
        case when at % 10 = 0 then 'queued' else 'done' end, case when at % 10 = 0 then null else now() end
      from generate_series(1, 10000) as at`.execute(server.db);
    const [removed, ...served] = await Promise.all([
      deploymentOf(many.owner, many.graphId).remove(),
      ...[1, 2, 3].map((number) => callsOf(other.owner, "other").done({ number })),
    ]);
    expect(removed.status).toBe(204);
    expect(served.map(({ state, result }) => [state, result["product"]])).toEqual([
      ["done", 2],
      ["done", 4],
      ["done", 6],
    ]);
    const left = await server.db.selectFrom("calls").select("id").where("deployment_id", "=", id).execute();
    expect(left).toEqual([]);
  });
});
