import type { Schedule } from "@miranda/contract/schemas/deployments/schedules.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { readConfig } from "../../platform/settings/config.ts";
import { buildGraph, buildProject, type Cast, type Role, signUpCast } from "../../testing/access.ts";
import { accessCells, statusInTable } from "../../testing/deployments/access-table.ts";
import { buildFlow, deployFlow, deploymentOf } from "../../testing/deployments/deployments.ts";
import { schedulesOf } from "../../testing/deployments/schedules.ts";
import { TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

// Every cell of docs/spec/access-deployments.tsv about schedules.

let server: TestServer;
let cast: Cast;
let graph: string;
let schedule: Schedule;
let count = 0;
beforeAll(async () => {
  server = await startTestServer({ processors: { ...readConfig({}).processors, most: 0 } });
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  graph = await buildGraph(cast, (await buildProject(cast)).id);
  await buildFlow(cast.owner, graph);
  await deployFlow(cast.owner, graph, { name: `schedules-${++count}` });
  schedule = await schedulesOf(cast.owner, graph).created({ inputs: { rate: 2 } });
});

type Attempt = (client: TestClient, role: Role) => Promise<number>;

const find = () => schedulesOf(cast.owner, graph).find(schedule.id);

const attempts: Record<string, Attempt> = {
  "list, read its times": async (client, role) => {
    const { send } = deploymentOf(client, graph);
    const listed = await send("GET", "/schedules");
    expect((await send("GET", `/schedules/${schedule.id}/ticks`)).status).toBe(listed.status);
    if (listed.status === 200)
      expect(listed.json<Schedule[]>()[0]?.inputs).toEqual(role === "viewer" ? {} : { rate: 2 });
    return listed.status;
  },
  make: async (client, role) => {
    const made = await schedulesOf(client, graph).create({ name: "Another", every_minutes: 60 });
    if (made.status === 201) expect(made.json<Schedule>().by?.username).toBe(role);
    expect(await schedulesOf(cast.owner, graph).list()).toHaveLength(made.status === 201 ? 2 : 1);
    return made.status;
  },
  "change, pause, resume": async (client, role) => {
    const { patch } = schedulesOf(client, graph);
    const paused = await patch(schedule.id, { paused: true });
    expect((await find()).by?.username).toBe("owner");
    expect((await patch(schedule.id, { paused: false })).status).toBe(paused.status);
    expect((await patch(schedule.id, { name: "Mine", cron: "* * * * *" })).status).toBe(paused.status);
    const { name, by } = await find();
    expect([name, by?.username]).toEqual(paused.status === 200 ? ["Mine", role] : ["Nightly", "owner"]);
    return paused.status;
  },
  "run now": async (client, role) => {
    const ran = await schedulesOf(client, graph).run(schedule.id);
    if (ran.status === 200) expect(ran.json<{ by: { username: string } }>().by.username).toBe(role);
    else expect((await find()).last).toBeNull();
    return ran.status;
  },
  "upload a file": async (client) => {
    const form = new FormData();
    form.append("file", new File(["a"], "a.csv"));
    return (await client.send("POST", `/api/v3/graphs/${graph}/deployment/schedules/files`, form)).status;
  },
  delete: async (client) => {
    const removed = await schedulesOf(client, graph).remove(schedule.id);
    expect(await schedulesOf(cast.owner, graph).list()).toHaveLength(removed.status === 204 ? 0 : 1);
    return removed.status;
  },
};

describe("who may do what with a schedule", () => {
  const cells = accessCells((resource) => resource === "schedule");

  it("has an attempt for each row of the table, and a row for each attempt", () => {
    const rows = new Set(cells.map(({ operation }) => operation));
    expect([...rows].toSorted()).toEqual(Object.keys(attempts).toSorted());
  });

  it.each(cells)("$operation: $role gets $status", async ({ operation, role, status }) => {
    expect(statusInTable((await attempts[operation]?.(cast[role], role)) ?? 0)).toBe(status);
  });
});

it("a token of the deployment can do nothing with its schedules", async () => {
  const robot = new TestClient(server.url);
  robot.headers = { authorization: `Bearer ${await deploymentOf(cast.owner, graph).token()}` };
  const { create, patch, remove, run } = schedulesOf(robot, graph);
  const answers = [
    await deploymentOf(robot, graph).send("GET", "/schedules"),
    await create({ name: "x", every_minutes: 1 }),
    await patch(schedule.id, { paused: true }),
    await run(schedule.id),
    await remove(schedule.id),
    await robot.postJson("/api/v3/schedules/preview", { every_minutes: 1 }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
  expect(await find()).toEqual(schedule);
});
