import { errors } from "@miranda/contract/errors.ts";
import type { AdminMachines } from "@miranda/contract/schemas/admin/machines.ts";
import type { AdminSessionPage, WaitingSessions } from "@miranda/contract/schemas/admin/sessions.ts";
import type { NotificationPage } from "@miranda/contract/schemas/news/notifications.ts";
import type { JobSummary, QueuePosition } from "@miranda/contract/schemas/processors.ts";
import { hostname } from "node:os";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";

import { startTestServer, type TestAccount, type TestServer } from "../../../testing/test-server.ts";
import { Workbench } from "../../../testing/workbench.ts";

let server: TestServer;
let admin: TestAccount;
beforeAll(async () => {
  server = await startTestServer();
  admin = await server.signUp("admin");
});
afterAll(() => server.close());

const path = "/api/v3/admin";
const machine = `${path}/machines/${encodeURIComponent(`local:${hostname()}`)}`;
const running = async (query = "") => (await admin.get(`${path}/sessions?query=${query}`)).json<AdminSessionPage>();
const queue = async () => (await admin.get(`${path}/queue`)).json<WaitingSessions>();
const told = async ({ owner }: Workbench) =>
  (await owner.get("/api/v3/notifications")).json<NotificationPage>().notifications;

async function ask(bench: Workbench): Promise<JobSummary> {
  const made = await bench.owner.post(`/api/v3/graphs/${bench.graphId}/processor`, { tag: Date.now() });
  bench.jobId = made.json<{ id: string }>().id;
  return (await bench.owner.get(`/api/v3/graphs/${bench.graphId}/processor`)).json<JobSummary>();
}

it("stops a session of somebody else with a reason, which its starter reads", async () => {
  const bench = await Workbench.open(server);
  await bench.start();
  const { username } = bench.owner.account;
  const page = await running(username.slice(0, -1));
  expect(page).toMatchObject({ next: null, running: 1, queued: 0 });
  expect(page.sessions).toMatchObject([
    {
      id: bench.jobId,
      workflow: "Flow",
      project: { name: "Tides" },
      person: username,
      payer: "person",
      state: "READY",
    },
  ]);
  expect((await running("nobody")).sessions).toEqual([]);
  await sql`update installation_settings set limits = '{"processors_in_all": 7}'`.execute(server.db);
  expect((await running()).slots).toBe(7);

  const since = bench.listener.received.length;
  const answers = await Promise.all(
    ["Maintenance at noon", "Also me"].map((reason) => admin.post(`${path}/sessions/${bench.jobId}/stop`, { reason })),
  );
  // Of two at once, one stops it.
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  await bench.state(since, "EXITED");
  const [first, ...more] = await told(bench);
  const reason = statuses[0] === 200 ? "Maintenance at noon" : "Also me";
  expect([first, more]).toMatchObject([
    { kind: "session_stopped", title: "An administrator stopped the session of Flow", body: reason },
    [],
  ]);
  const entries = await bench.logs();
  expect(entries.map(({ message }) => message).join("\n")).toContain(`An administrator stopped the session: ${reason}`);
  const again = await admin.post(`${path}/sessions/${bench.jobId}/stop`, { reason });
  expect(again).toMatchObject({ status: 409, text: errors.job_ended });
  const events = await sql<{ details: object }>`select details from audit_log where kind = 'session.stop'`.execute(
    server.db,
  );
  expect(events.rows).toMatchObject([{ details: { reason, person: username } }]);
});

it("closes the machine to new sessions, which wait in the queue, and opens it again", async () => {
  const [first, second, third] = [
    await Workbench.open(server),
    await Workbench.open(server),
    await Workbench.open(server),
  ];
  await first.start();
  const closed = (await admin.post(`${machine}/close`, { note: "New disk" })).json<AdminMachines>();
  expect(closed.machines).toMatchObject([
    { engine: "local", name: hostname(), state: "ready", closed: { by: "admin", note: "New disk" } },
  ]);
  const [one] = closed.machines;
  expect(one).toMatchObject({ cores: expect.any(Number), free_disk_bytes: expect.any(Number) });

  await ask(second);
  await ask(third);
  const reason = "No machine takes new sessions at the moment.";
  const waiting = await queue();
  expect(waiting).toMatchObject({
    all: 2,
    waiting: [
      { id: second.jobId, position: 1, reason, person: second.owner.account.username },
      { id: third.jobId, position: 2, reason },
    ],
  });
  const place = await third.owner.get(`/api/v3/jobs/${third.jobId}/queue`);
  expect(place.json<QueuePosition>()).toEqual({ position: 2, reason });
  // What runs goes on.
  expect((await first.job()).workflow_state).toBe("READY");

  const removed = await admin.post(`${path}/queue/${third.jobId}/remove`, { reason: "Not today" });
  expect(removed.status).toBe(200);
  expect((await third.job()).workflow_state).toBe("EXITED");
  expect(await told(third)).toMatchObject([
    { title: "An administrator removed Flow from the queue", body: "Not today" },
  ]);

  const since = second.listener.received.length;
  const opened = (await admin.post(`${machine}/open`)).json<AdminMachines>();
  expect(opened.machines[0]?.closed).toBeNull();
  await second.state(since, "READY");
  const started = await admin.post(`${path}/queue/${second.jobId}/remove`, { reason: "Too late" });
  expect(started).toMatchObject({ status: 409, text: errors.session_started });
  expect((await second.job()).workflow_state).toBe("READY");
  expect((await queue()).waiting).toEqual([]);
});
