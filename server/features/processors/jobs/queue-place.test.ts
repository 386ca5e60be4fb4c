import type { JobSummary, QueuePlace } from "@miranda/contract/schemas/processors.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

import { readConfig } from "../../../platform/settings/config.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { Workbench } from "../../../testing/workbench.ts";

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

it("says why a session waits and its place in the queue, and lets people leave the queue", async () => {
  const [ada, ben] = [await Workbench.open(server), await Workbench.open(server)];
  await ada.owner.patch(`/api/v3/projects/${ada.projectId}`, { visibility: "private" });
  const first = await queued(ada);
  const second = await queued(ben);
  const placeOf = async (bench: Workbench, { id }: JobSummary) =>
    (await bench.owner.get(`/api/v3/jobs/${id}/queue`)).json<QueuePlace | null>();
  const reason = "There is room for 0 sessions, and all are in use.";
  expect([first.workflow_state, await placeOf(ada, first)]).toEqual(["QUEUED", { position: 1, reason }]);
  expect(await placeOf(ben, second)).toEqual({ position: 2, reason });
  expect((await ben.owner.get(`/api/v3/jobs/${first.id}/queue`)).status).toBe(404);
  expect((await server.anonymous().get(`/api/v3/jobs/${second.id}/queue`)).status).toBe(401);

  expect((await ada.owner.put(`/api/v3/jobs/${first.id}/cancel`)).status).toBe(200);
  expect(await placeOf(ada, first)).toBeNull();
  expect(await placeOf(ben, second)).toEqual({ position: 1, reason });
});
