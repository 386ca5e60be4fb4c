import { runArgs } from "@miranda/contract/command-args.ts";
import type { PayerOfWorkflow, Purse } from "@miranda/contract/schemas/billing/purses.ts";
import type { LedgerPage, SpendingSummary } from "@miranda/contract/schemas/billing/spending.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";

import { readConfig } from "../../../platform/settings/config.ts";
import { buildGraph, buildProject, type Cast, signUpCast } from "../../../testing/access.ts";
import { booksOf, bookUsage } from "../../../testing/billing.ts";
import { callsOf, serveAsProposed } from "../../../testing/deployments/served.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../../testing/test-server.ts";
import { giveToken, script, Workbench } from "../../../testing/workbench.ts";

let server: TestServer;
let cast: Cast;
beforeAll(async () => {
  const { processors } = readConfig({ LOG_LEVEL: "silent" });
  server = await startTestServer({ processors: { ...processors, prices: { coreHour: 0, ramGbHour: 0, hour: 3_600 } } });
  cast = await signUpCast(server);
  await giveToken(cast.editor);
});
afterAll(() => server.close());

const at = (projectId: string, path = "") => `/api/v3/projects/${projectId}/purse${path}`;
const fill = (person: TestAccount, projectId: string, amount: string, key?: string) =>
  person.post(at(projectId, "/fill"), { amount, ...(key && { key }) });
const balanceOf = async (projectId: string): Promise<string> => {
  const [balance, booked] = await booksOf(server.db, { purse: projectId });
  expect(balance).toBe(booked);
  return balance;
};
const creditsOf = async (person: TestAccount): Promise<string> => {
  const [credits, booked] = await booksOf(server.db, { account: person.account.id });
  expect(credits).toBe(booked);
  return credits;
};
/** As if the purse had paid for a session. */
async function spend(projectId: string, amount: string): Promise<void> {
  await bookUsage(server.db, {
    accountId: cast.owner.account.id,
    projectId,
    isPurse: true,
    at: new Date().toISOString(),
    amount,
  });
  await sql`update purses set balance = balance - ${amount}::numeric where project_id = ${projectId}`.execute(
    server.db,
  );
}

it("takes credits of members and grants of administrators, and returns what is left to those who paid last", async () => {
  const { id } = await buildProject(cast);
  const before = [await creditsOf(cast.owner), await creditsOf(cast.editor), await creditsOf(cast.viewer)];
  await fill(cast.editor, id, "10");
  await fill(cast.viewer, id, "5");
  const granted = { key: "to-project", project_id: id, amount: "3", note: "Welcome" };
  expect((await cast.admin.post("/api/v3/admin/grants", granted)).json()).toMatchObject({
    project_id: id,
    account: null,
  });
  const filled = await fill(cast.owner, id, "2");
  expect(filled.json<Purse>()).toEqual({ in_use: false, balance: "20.000000000", may_fill: true, may_manage: true });
  await spend(id, "12.000000001");
  const { account } = await server.signUp();
  await bookUsage(server.db, { accountId: account.id, projectId: id, at: "2026-07-01T12:00:00Z", amount: "4" });
  expect(await balanceOf(id)).toBe("7.999999999");
  const closed = await cast.owner.post(at(id, "/close"));
  expect(closed.json<Purse>()).toMatchObject({ in_use: false, balance: "0.000000000" });
  expect(await balanceOf(id)).toBe("0.000000000");
  // The editor's 10 and some of the viewer's 5 are spent; the grant goes back to nobody.
  expect(await creditsOf(cast.owner)).toBe(before[0]);
  expect(Number(await creditsOf(cast.editor))).toBeCloseTo(Number(before[1]) - 10, 9);
  expect(Number(await creditsOf(cast.viewer))).toBeCloseTo(Number(before[2]) - 5 + 2.999_999_999, 9);
  const { entries, totals } = (await cast.owner.get(`/api/v3/projects/${id}/billing/ledger`)).json<LedgerPage>();
  expect(totals).toEqual({
    ...{ spent: "16.000000001", purse_spent: "12.000000001" },
    ...{ purse_added: "20.000000000", purse_returned: "7.999999999" },
  });
  expect(
    entries.filter(({ kind }) => kind === "return").map(({ person, amount, note }) => [person, amount, note]),
  ).toEqual([
    ["viewer", "-2.999999999", ""],
    ["admin", "-3.000000000", "Withdrawn: it was granted"],
    ["owner", "-2.000000000", ""],
  ]);
});

it("takes no more than a member has, and counts a fill that is sent twice once", async () => {
  const { id } = await buildProject(cast);
  const before = await creditsOf(cast.editor);
  expect(await fill(cast.editor, id, "1000")).toMatchObject({
    status: 402,
    text: "You do not have that many credits.",
  });
  for (const amount of ["-1", "0", "NaN", "1e99"]) expect((await fill(cast.editor, id, amount)).status).toBe(400);
  expect(await creditsOf(cast.editor)).toBe(before);
  const key = crypto.randomUUID();
  await Promise.all([1, 2, 3].map(() => fill(cast.editor, id, "1", key)));
  expect(await balanceOf(id)).toBe("1.000000000");
  // Two of these cannot both be paid.
  const half = String(Math.floor(Number(await creditsOf(cast.editor)) * 0.6));
  const answers = await Promise.all([fill(cast.editor, id, half), fill(cast.editor, id, half)]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 402]);
  await cast.owner.post(at(id, "/close"));
  expect(await creditsOf(cast.editor)).toBe(before);
});

it("pays for sessions and calls of its project, and stops them when it is empty", async () => {
  const bench = await Workbench.open(server, cast.owner);
  const { projectId } = bench;
  const credits = await creditsOf(cast.owner);
  await bench.node(script("import time", "while True:", "    time.sleep(0.01)"), "Endless");
  await cast.owner.put(at(projectId), { in_use: "true" });
  const start = () => cast.owner.post(`/api/v3/graphs/${bench.graphId}/processor`, { tag: 5 });
  expect(await start()).toMatchObject({ status: 402, text: "The project has no credits left." });
  await fill(cast.owner, projectId, "4");
  await bench.start();
  expect(await cast.owner.post(at(projectId, "/close"))).toMatchObject({
    ...{ status: 409, text: "Sessions that the project pays for are running. Stop them first." },
  });
  await bench.send("run", runArgs({ mode: "all" }));
  await expect.poll(async () => (await bench.job()).workflow_state, { timeout: 30_000 }).toBe("EXITED");
  expect((await bench.logs()).at(-1)?.message).toMatch(/The session was stopped: The project has no credits left\.$/);
  expect(Number(await creditsOf(cast.owner))).toBeCloseTo(Number(credits) - 4, 9);
  expect(Number(await balanceOf(projectId))).toBeLessThanOrEqual(0);
  const summary = (await cast.owner.get(`/api/v3/projects/${projectId}/billing`)).json<SpendingSummary>();
  expect(summary.balance).toBe(await balanceOf(projectId));
  expect(Number(summary.month.spent)).toBeGreaterThanOrEqual(4);
  bench.close();
}, 60_000);

it("pays for calls that the owner would pay for", async () => {
  const bench = await Workbench.open(server, cast.owner);
  await bench.node(script("pass"), "Quick");
  await serveAsProposed(bench, { name: "pursed", access: "accounts" });
  await cast.owner.put(at(bench.projectId), { in_use: "true" });
  expect((await callsOf(cast.stranger, "pursed").send({})).status).toBe(402);
  await cast.admin.post("/api/v3/admin/grants", {
    key: "calls",
    project_id: bench.projectId,
    amount: "50",
    note: "Calls",
  });
  const credits = await creditsOf(cast.owner);
  expect((await callsOf(cast.stranger, "pursed").done({})).state).toBe("done");
  await expect.poll(async () => Number(await balanceOf(bench.projectId)), { timeout: 20_000 }).toBeLessThan(50);
  expect(await creditsOf(cast.owner)).toBe(credits);
  bench.close();
}, 60_000);

it("gives back what is left when its project is deleted", async () => {
  const { id } = await buildProject(cast);
  await buildGraph(cast, id);
  const before = await creditsOf(cast.viewer);
  await fill(cast.viewer, id, "1.5");
  await cast.owner.delete(`/api/v3/projects/${id}`);
  await expect.poll(() => creditsOf(cast.viewer), { timeout: 20_000 }).toBe(before);
  const { entries } = (await cast.viewer.get("/api/v3/billing/ledger?kind=return")).json<LedgerPage>();
  expect(entries[0]).toMatchObject({ amount: "1.500000000", project: { id, name: "Tides" } });
});

it("says who pays for the open session, also after the choice for new sessions changed", async () => {
  const bench = await Workbench.open(server);
  const { owner, graphId, projectId } = bench;
  await owner.post(`/api/v3/projects/${projectId}/members`, { user: "editor", role: "editor" });
  await owner.patch(`/api/v3/projects/${projectId}`, { visibility: "public" });
  const seenBy = async (person: TestAccount) => {
    const { in_use, session } = (await person.get(`/api/v3/graphs/${graphId}/purse`)).json<PayerOfWorkflow>();
    return [in_use, session];
  };
  expect(await seenBy(cast.editor)).toEqual([false, null]);
  await bench.start();
  await fill(owner, projectId, "5");
  await owner.put(at(projectId), { in_use: "true" });
  expect(await seenBy(cast.editor)).toEqual([true, { by_project: false, person: owner.account.username }]);
  // People who are not members learn nothing of it.
  expect(await seenBy(cast.stranger)).toEqual([true, null]);
  await bench.until("stop", "", "EXITED");
  expect(await seenBy(owner)).toEqual([true, null]);
  await bench.start();
  await owner.put(at(projectId), { in_use: "false" });
  expect(await seenBy(owner)).toEqual([false, { by_project: true, person: "" }]);
  await bench.until("stop", "", "EXITED");
  bench.close();
}, 60_000);
