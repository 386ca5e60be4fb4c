import type { Person } from "@miranda/contract/schemas/account/people.ts";
import type { JobSummary, QueuePosition } from "@miranda/contract/schemas/processors.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";

import { hashToken } from "../../../platform/crypto.ts";
import { readConfig } from "../../../platform/settings/config.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { Workbench } from "../../../testing/workbench.ts";
import { createJobQueries } from "./jobs-queries.ts";

let server: TestServer;
beforeAll(async () => {
  // With no free place, every session waits.
  server = await startTestServer({ processors: { ...readConfig({}).processors, most: 0 } });
});
afterAll(() => server.close());

/** Asks for a processor, which has to wait. */
async function queued(bench: Workbench): Promise<JobSummary> {
  const created = await bench.owner.post(`/api/v3/graphs/${bench.graphId}/processor`, { tag: 1 });
  expect([created.status, created.text]).toEqual([200, expect.any(String)]);
  return (await bench.owner.get(`/api/v3/graphs/${bench.graphId}/processor`)).json<JobSummary>();
}

it("ends the waiting sessions of an account that is disabled, and never starts one", async () => {
  const admin = await server.signUp();
  const [ada, ben, cleo] = [await Workbench.open(server), await Workbench.open(server), await Workbench.open(server)];
  const [first, second, third] = [await queued(ada), await queued(ben), await queued(cleo)];
  const address = `/api/v3/admin/people/${ada.owner.account.id}`;
  const { version } = (await admin.get(address)).json<Person>();
  expect((await admin.patch(address, { version, disabled: true })).status).toBe(200);
  const jobs = createJobQueries(server.db);
  expect((await jobs.find(first.id))?.state).toBe("EXITED");
  // As a server leaves it that was killed after it disabled the account.
  await sql`update accounts set disabled_at = now() where id = ${ben.owner.account.id}`.execute(server.db);
  const taken = await jobs.takeNext({ most: 9, mostPerAccount: 9 }, hashToken("token"), null);
  expect(taken?.id).toBe(third.id);
  await expect.poll(async () => (await jobs.find(second.id))?.state).toBe("EXITED");
  await jobs.transition(third.id, "EXITED", { from: ["STARTING"] });
});

it("says why a session waits and its place in the queue, and lets people leave the queue", async () => {
  const [ada, ben] = [await Workbench.open(server), await Workbench.open(server)];
  await ada.owner.patch(`/api/v3/projects/${ada.projectId}`, { visibility: "private" });
  const first = await queued(ada);
  const second = await queued(ben);
  const placeOf = async (bench: Workbench, { id }: JobSummary) =>
    (await bench.owner.get(`/api/v3/jobs/${id}/queue`)).json<QueuePosition | null>();
  const reason = "There is room for 0 sessions, and all are in use.";
  expect([first.workflow_state, await placeOf(ada, first)]).toEqual(["QUEUED", { position: 1, reason }]);
  expect(await placeOf(ben, second)).toEqual({ position: 2, reason });
  expect((await ben.owner.get(`/api/v3/jobs/${first.id}/queue`)).status).toBe(404);
  expect((await server.anonymous().get(`/api/v3/jobs/${second.id}/queue`)).status).toBe(401);

  expect((await ada.owner.put(`/api/v3/jobs/${first.id}/cancel`)).status).toBe(200);
  expect(await placeOf(ada, first)).toBeNull();
  expect(await placeOf(ben, second)).toEqual({ position: 1, reason });
});
