import { errors } from "@miranda/contract/errors.ts";
import type { Deployment } from "@miranda/contract/schemas/deployments/deployments.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { hashToken, newId } from "../../platform/crypto.ts";
import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { buildFlow, deployFlow, deploymentOf } from "../../testing/deployments/deployments.ts";
import { callsOf } from "../../testing/deployments/served.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

// Who pays for an app, and how much, whatever its sessions and its callers say.

let server: TestServer;
let cast: Cast;
let project: string;
let graph: string;
let app: Deployment;
let count = 0;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  project = (await buildProject(cast)).id;
  graph = await buildGraph(cast, project);
  await buildFlow(cast.owner, graph);
  app = await deployFlow(cast.owner, graph, { name: `paid-${++count}`, access: "accounts", payer: "caller" });
});

/** A session of the app whose agent is the test itself. */
async function storeSession(state: "RUNNING" | "READY", by = cast.owner) {
  const id = newId();
  const token = newId();
  await server.db
    .insertInto("jobs")
    .values({
      ...{ id, tag: 1, graph_id: graph, account_id: by.account.id, name: "x", engine: "local", state },
      ...{ token_hash: hashToken(token), total_cost: null, seen_at: new Date(Date.now() + 3_600_000) },
      ...{ deployment_id: app.id, release_id: app.production?.id ?? null, runs: 1 },
    })
    .execute();
  const agent = server.anonymous();
  agent.headers = { authorization: `Bearer ${token}` };
  let next = 1;
  const post = async (event: object): Promise<number> => {
    const sent = { first: next++, events: [event] };
    return (await agent.postJson(`/api/runner/${id}/events`, sent)).status;
  };
  return { id, post };
}

async function paidBy(accountId: string): Promise<number> {
  const { rows } = await sql<{ paid: number }>`select coalesce(-sum(amount), 0)::double precision as paid from ledger
    where account_id = ${accountId} and deployment_id = ${app.id} and kind = 'usage'`.execute(server.db);
  return rows[0]?.paid ?? 0;
}

describe("a session", () => {
  it("cannot let a caller pay for a call that ended long ago", async () => {
    const { id: jobId, post } = await storeSession("RUNNING");
    const caller = cast.stranger.account.id;
    const runId = newId();
    await sql`insert into runs (id, graph_id, account_id, payer_id, job_id, session_tag, session_name, number, command,
        mode, source, graph_revision, first_sample, first_line, state, ended_at)
      values (${runId}, ${graph}, ${caller}, ${caller}, ${jobId}, 1, 'x', 1, 1, 'call', 'deployment', 1, 0, 1, 'done', now())`.execute(
      server.db,
    );
    const usage = { kind: "usage", seconds: 10, cpu_seconds: 10, ram_gb: 1, run: 1 };
    expect(await post({ ...usage, sample: 1 })).toBe(200);
    const paid = await paidBy(caller);
    expect(paid).toBeGreaterThan(0);
    await sql`update runs set ended_at = now() - interval '2 minutes' where id = ${runId}`.execute(server.db);
    expect(await post({ ...usage, sample: 2 })).toBe(200);
    expect([await paidBy(caller), await paidBy(cast.owner.account.id)]).toEqual([paid, paid]);
  });

  it("costs a former owner nothing once somebody has taken the app over", async () => {
    await sql`update deployments set owner_id = ${cast.editor.account.id}, warm = 1 where id = ${app.id}`.execute(
      server.db,
    );
    const { id } = await storeSession("READY", cast.editor);
    const state = async () =>
      (await server.db.selectFrom("jobs").select("state").where("id", "=", id).executeTakeFirstOrThrow()).state;
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(await state()).toBe("READY");
    await deploymentOf(cast.owner, graph).changed({ take_over: true });
    await expect.poll(state, { timeout: 10_000 }).toMatch(/KILLING|EXITED/);
  });
});

describe("calls that wait", () => {
  const sessions = () => server.db.selectFrom("jobs").select("id").where("deployment_id", "=", app.id).execute();

  for (const limited of ["deployments", "projects"] as const)
    it(`end when the day's budget of the ${limited} is used up, and others are refused`, async () => {
      await deploymentOf(cast.owner, graph).changed({ at_once: 1 });
      const { id: jobId, post } = await storeSession("RUNNING");
      const calls = callsOf(cast.stranger, app.name);
      const { id } = await calls.made({});
      const usage = { kind: "usage", sample: 1, seconds: 10, cpu_seconds: 10, ram_gb: 1 };
      expect(await post(usage)).toBe(200);
      const limitedId = limited === "projects" ? project : app.id;
      await server.db.updateTable(limited).set({ day_budget: 1e-9 }).where("id", "=", limitedId).execute();
      // It is free now, and must not be given the call.
      await server.db.updateTable("jobs").set({ state: "READY" }).where("id", "=", jobId).execute();
      expect(await calls.ended(id)).toMatchObject({ state: "lost", reason: errors.call_budget_used });
      const refused = await calls.send({});
      expect([refused.status, refused.text]).toEqual([429, errors.call_budget_used]);
      expect(await sessions()).toHaveLength(1);
    });

  it("end when the owner may no longer change the workflow, and start nothing", async () => {
    await deploymentOf(cast.owner, graph).changed({ at_once: 1 });
    await server.db
      .updateTable("deployments")
      .set({ owner_id: cast.editor.account.id })
      .where("id", "=", app.id)
      .execute();
    const { id: jobId } = await storeSession("RUNNING", cast.editor);
    const calls = callsOf(cast.stranger, app.name);
    const { id } = await calls.made({});
    await server.db.deleteFrom("project_members").where("account_id", "=", cast.editor.account.id).execute();
    await server.db.updateTable("jobs").set({ state: "READY" }).where("id", "=", jobId).execute();
    expect(await calls.ended(id)).toMatchObject({ state: "lost", reason: errors.deployment_ownerless });
    expect(await sessions()).toHaveLength(1);
  });
});

it("an app whose calls cannot be given to sessions does not hold up the others", async () => {
  /** Only the server's regular look finds it. */
  async function storeWaiting(): Promise<string> {
    await storeSession("READY");
    const id = newId();
    const call = { id, deployment_id: app.id, release_id: app.production?.id ?? "", via: "api" as const, inputs: "{}" };
    await server.db.insertInto("calls").values(call).execute();
    return id;
  }
  await sql`update releases set form = '{}' where deployment_id = ${app.id}`.execute(server.db);
  await storeWaiting();
  const other = await buildGraph(cast, project);
  await buildFlow(cast.owner, other);
  const broken = app.id;
  graph = other;
  app = await deployFlow(cast.owner, other, { name: `other-${count}` });
  const id = await storeWaiting();
  const state = async () => (await callsOf(cast.owner, app.name).read(id)).state;
  await expect.poll(state, { timeout: 10_000 }).toBe("running");
  await sql`delete from deployments where id = ${broken}`.execute(server.db);
});
