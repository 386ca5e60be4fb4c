import type {
  Schedule,
  SchedulePreview,
  ScheduleTick,
  ScheduleTickPage,
} from "@miranda/contract/schemas/deployments/schedules.ts";
import type { CallSummary } from "@miranda/contract/schemas/deployments/calls.ts";
import type { NotificationPage } from "@miranda/contract/schemas/news/notifications.ts";
import { sql } from "kysely";
import { expect } from "vitest";

import type { Db } from "../../platform/database/database.ts";
import { buildGraph, buildProject, type Cast } from "../access.ts";
import type { Answer, TestClient } from "../test-client.ts";
import type { TestAccount, TestServer } from "../test-server.ts";
import { buildFlow, deployFlow, deploymentOf } from "./deployments.ts";

/** The calls about the schedules of one workflow, as one person. Those that must succeed throw the refusal. */
export function schedulesOf(client: TestClient, graph: string) {
  const { send } = deploymentOf(client, graph);
  async function made<Value>(sent: Promise<Answer>): Promise<Value> {
    const answer = await sent;
    if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
    return answer.json<Value>();
  }
  const at = "/schedules";
  return {
    list: () => made<Schedule[]>(send("GET", at)),
    create: (body: unknown) => send("POST", at, body),
    created: (body: object = {}) => made<Schedule>(send("POST", at, { name: "Nightly", cron: "30 2 * * *", ...body })),
    patch: (id: string, body: unknown) => send("PATCH", `${at}/${id}`, body),
    changed: (id: string, body: object) => made<Schedule>(send("PATCH", `${at}/${id}`, body)),
    remove: (id: string) => send("DELETE", `${at}/${id}`),
    run: (id: string) => send("POST", `${at}/${id}/run`),
    ran: (id: string) => made<CallSummary>(send("POST", `${at}/${id}/run`)),
    ticksPage: (id: string, query = "") => made<ScheduleTickPage>(send("GET", `${at}/${id}/ticks${query}`)),
    ticks: async (id: string): Promise<ScheduleTick[]> =>
      (await made<ScheduleTickPage>(send("GET", `${at}/${id}/ticks?limit=200`))).ticks,
    find: async (id: string): Promise<Schedule> => {
      const found = (await made<Schedule[]>(send("GET", at))).find((one) => one.id === id);
      if (!found) throw new Error("There is no such schedule.");
      return found;
    },
  };
}

export async function preview(client: TestClient, body: unknown): Promise<Answer> {
  return client.postJson("/api/v3/schedules/preview", body);
}

export async function previewed(client: TestClient, body: unknown): Promise<SchedulePreview> {
  return (await preview(client, body)).json<SchedulePreview>();
}

/** Makes a schedule due as if the time of its next tick had come so many minutes ago. */
export async function makeDue(db: Db, id: string, minutesAgo = 0): Promise<void> {
  await sql`update schedules set next_at = now() - make_interval(mins => ${minutesAgo}) where id = ${id}`.execute(db);
}

/** A deployment on a server where nothing runs, so that calls wait until a test ends them. */
export async function tickBench(server: TestServer, cast: Cast, name: string) {
  const project = (await buildProject(cast)).id;
  const graph = await buildGraph(cast, project);
  await buildFlow(cast.owner, graph);
  await deployFlow(cast.owner, graph, { name });
  const own = schedulesOf(cast.owner, graph);

  const outcomes = async (id: string): Promise<string[]> =>
    (await own.ticks(id)).toReversed().map(({ outcome }) => outcome);

  async function callsOf(id: string): Promise<{ id: string; state: string }[]> {
    const { rows } = await sql<{ id: string; state: string }>`
      select id, state from calls where schedule_id = ${id} order by id`.execute(server.db);
    return rows;
  }

  async function endCalls(id: string, state: string): Promise<void> {
    await sql`update calls set state = ${state}, reason = 'No tide.', ended_at = now()
      where schedule_id = ${id} and ended_at is null`.execute(server.db);
  }

  async function countOpen(id: string): Promise<number> {
    const { rows } = await sql`select 1 from schedule_ticks
      where schedule_id = ${id} and not counted and outcome in ('called', 'due')`.execute(server.db);
    return rows.length;
  }

  return {
    ...{ project, graph, own, outcomes, callsOf, endCalls },

    async settled(id: string, expected: readonly string[]): Promise<void> {
      await expect.poll(() => outcomes(id)).toEqual(expected);
    },

    /** As if its time had come, and the call had ended so. */
    async tickEnds(id: string, state: string): Promise<void> {
      const before = (await own.ticks(id)).length;
      await makeDue(server.db, id);
      await expect.poll(async () => (await own.ticks(id)).length).toBe(before + 1);
      await expect.poll(async () => (await own.ticks(id))[0]?.outcome).toBe("called");
      await endCalls(id, state);
      await expect.poll(() => countOpen(id)).toBe(0);
    },

    /** The titles of what somebody was told about the project, newest first. */
    async news(person: TestAccount): Promise<string[]> {
      const { notifications } = (await person.get("/api/v3/notifications")).json<NotificationPage>();
      const own = notifications.filter(({ kind, project_id }) => project_id === project && kind !== "membership");
      return own.map(({ title }) => title);
    },
  };
}

/** So far away that no time comes by itself while a test runs. */
export const yearly = { cron: null, every_minutes: 525_600 };
