import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";

import { callsOf, serveAsProposed } from "../../testing/deployments/served.ts";
import { deploymentOf } from "../../testing/deployments/deployments.ts";
import { readRun } from "../../testing/runs.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { Workbench } from "../../testing/workbench.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(async () => {
  await server.close();
});

const busy = `from miranda import *

class Busy(Node):
    seconds = Field(0.2, control=Number())
    done = Transmitter()
    def run(self):
        import time
        until = time.monotonic() + self.seconds
        while time.monotonic() < until:
            pass
        self.done.send(1)
`;

async function paidBy(accountId: string): Promise<number> {
  const { rows } = await sql<{ paid: number }>`select coalesce(-sum(amount), 0)::double precision as paid from ledger
    where account_id = ${accountId} and kind = 'usage'`.execute(server.db);
  return rows[0]?.paid ?? 0;
}

it("a caller pays for the call alone, and the owner for the rest of the session", async () => {
  const bench = await Workbench.open(server);
  await bench.node(busy, "Busy");
  await serveAsProposed(bench, { name: "paid", access: "accounts", payer: "caller" });
  const caller = await server.signUp();
  const call = await callsOf(caller, "paid").done({ seconds: 1 });
  expect(call.state).toBe("done");
  // The last sample comes after the end.
  await expect.poll(() => paidBy(caller.account.id), { timeout: 10_000 }).toBeGreaterThan(0);
  await expect.poll(() => paidBy(bench.owner.account.id), { timeout: 10_000 }).toBeGreaterThan(0);
  expect((await readRun(bench, call.id)).cost).toBeCloseTo(await paidBy(caller.account.id), 6);
  await server.db.updateTable("accounts").set({ credits: 0 }).where("id", "=", caller.account.id).execute();
  expect((await callsOf(caller, "paid").send({})).status).toBe(402);
  expect((await callsOf(bench.owner, "paid").done({ seconds: 0 })).state).toBe("done");
});

it("a call ends at its budget, and a day's budget refuses further ones", async () => {
  const bench = await Workbench.open(server);
  await bench.node(busy, "Busy");
  const { id } = await serveAsProposed(bench, { name: "limited" });
  await server.db.updateTable("deployments").set({ call_budget: 1e-9 }).where("id", "=", id).execute();
  const calls = callsOf(bench.owner, "limited");
  const ended = await calls.done({ seconds: 60 });
  expect(ended.state).toBe("stopped");
  expect((await readRun(bench, ended.id)).reason).toContain("a run of this app may cost at most");
  await server.db.updateTable("deployments").set({ day_budget: 1e-9 }).where("id", "=", id).execute();
  const refused = await calls.send({});
  expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
  await deploymentOf(bench.owner, bench.graphId).changed({ day_budget: null });
  await server.db.updateTable("accounts").set({ credits: 0 }).where("id", "=", bench.owner.account.id).execute();
  expect((await calls.send({})).status).toBe(402);
});
