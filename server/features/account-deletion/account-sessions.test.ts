import type { JobSummary } from "@miranda/contract/schemas/processors.ts";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

import { password, startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";
import { giveToken, listen, script, Workbench } from "../../testing/workbench.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await server.signUp("admin");
});
afterAll(() => server.close());

const patience = { timeout: 40_000, interval: 200 };
const endless = script("import time", "print('on')", "time.sleep(600)");

async function removeAccount(person: TestAccount): Promise<void> {
  const form = { username: person.account.username, password, projects: "delete" };
  expect((await person.delete("/api/v3/auth/account", form)).status).toBe(200);
}

const stateOf = async (id: string) =>
  (await server.db.selectFrom("jobs").select("state").where("id", "=", id).executeTakeFirst())?.state;

it("stops a running processor of the account's own workflow, and removes the session with its files", async () => {
  const bench = await Workbench.open(server);
  await bench.node(endless);
  const id = await bench.start();
  await bench.until("start", "", "RUNNING");
  const folder = join(server.dataFolder, "jobs", id);
  await access(folder);
  await removeAccount(bench.owner);
  await expect.poll(() => stateOf(id), patience).toBeUndefined();
  await expect(access(folder)).rejects.toThrow("ENOENT");
  const leftovers = () => server.db.selectFrom("deleting_accounts").select("account_id").execute();
  await expect.poll(leftovers, patience).toEqual([]);
  bench.close();
}, 60_000);

it("stops a running processor in another person's workflow, says why, and keeps the session there", async () => {
  const owner = await server.signUp("host");
  await giveToken(owner);
  const bench = await Workbench.open(server, owner);
  const guest = await server.signUp("guest");
  await giveToken(guest);
  await owner.post(`/api/v3/projects/${bench.projectId}/members`, { user: "guest", role: "editor" });
  await bench.node(endless);
  const made = await guest.post(`/api/v3/graphs/${bench.graphId}/processor`, { tag: 7 });
  bench.jobId = made.json<{ id: string }>().id;
  await bench.state(0, "READY");
  await guest.post(`/api/v3/graphs/${bench.graphId}/processor/start`, { args: "" });
  await bench.state(0, "RUNNING");
  const since = bench.listener.received.length;
  await removeAccount(guest);
  await bench.state(since, "EXITED");
  const job = (await owner.get(`/api/v3/jobs/${bench.jobId}`)).json<JobSummary>();
  expect(job.workflow_state).toBe("EXITED");
  const words = (await bench.lines()).map(([, text]) => text);
  expect(words).toContain("The session was stopped: the account that started it was deleted.");
  const leftovers = () => server.db.selectFrom("deleting_accounts").select("account_id").execute();
  await expect.poll(leftovers, patience).toEqual([]);
  expect(await stateOf(bench.jobId)).toBe("EXITED");
  bench.close();
}, 60_000);

it("stops another person's processor in a workflow that goes with the account", async () => {
  const owner = await server.signUp("leaver");
  const bench = await Workbench.open(server, owner);
  const guest = await server.signUp("friend");
  await giveToken(guest);
  await owner.post(`/api/v3/projects/${bench.projectId}/members`, { user: "friend", role: "editor" });
  const watching = await listen(server, guest, bench.graphId);
  const made = await guest.post(`/api/v3/graphs/${bench.graphId}/processor`, { tag: 8 });
  const { id } = made.json<{ id: string }>();
  await watching.wait<JobSummary>("update[DOCKER_JOB]", (job) => job.id === id && job.workflow_state === "READY");
  await removeAccount(owner);
  await watching.wait("evicted");
  await expect.poll(() => stateOf(id), patience).toBe("EXITED");
  // The session belongs to the person who started it.
  expect((await guest.get(`/api/v3/jobs/${id}`)).json<JobSummary>().graph).toBeNull();
  watching.close();
  bench.close();
}, 60_000);
