import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { hashToken, newId } from "../../../platform/crypto.ts";
import { type Database, openDatabase } from "../../../platform/database/database.ts";
import { createNotifications, type Notifications } from "../../../platform/database/pg-notifications.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { Workbench } from "../../../testing/workbench.ts";
import { createCommandDesk } from "./command-desk.ts";

// Two servers of one database. The agent asks the first.

const token = "the right token";
const patient = 20;
const here = () => false;

let server: TestServer;
let bench: Workbench;
let database: Database;
let notifications: [Notifications, Notifications];
let desk: ReturnType<typeof createCommandDesk>;
let jobId: string;
let stored: number;

beforeAll(async () => {
  server = await startTestServer();
  bench = await Workbench.open(server);
  database = openDatabase(server.databaseUrl, 8, () => undefined);
  const make = () => createNotifications(database.pool, () => undefined);
  notifications = [make(), make()];
  desk = createCommandDesk(database.db, notifications[0]);
});
afterAll(async () => {
  for (const one of notifications) one.close();
  await database.close();
  bench.close();
  await server.close();
});
beforeEach(async () => {
  await server.db.deleteFrom("jobs").execute();
  jobId = newId();
  stored = 0;
  const row = { graph_id: bench.graphId, account_id: bench.owner.account.id, name: "Flow", engine: "local" };
  await server.db
    .insertInto("jobs")
    .values({ ...row, id: jobId, tag: 1, state: "READY", token_hash: hashToken(token), seen_at: new Date() })
    .execute();
});

async function store() {
  const number = ++stored;
  const command = { command: "run", mode: "call" };
  await server.db
    .insertInto("job_commands")
    .values({ job_id: jobId, number, command: JSON.stringify(command) })
    .execute();
  return { ...command, number };
}

const wake = (at: 0 | 1) => notifications[at].wake(`job:${jobId}`);
const ask = (after: number, wait = patient) => desk.take(jobId, token, { after, wait }, here);
const numbers = ({ commands }: { commands: { number: number }[] }) => commands.map(({ number }) => number);

describe("an agent that was given a command", () => {
  beforeEach(async () => {
    await store();
    await ask(0);
  });

  it("gets the next one from memory, and again from the database when the answer was lost", async () => {
    const asked = ask(1);
    const next = await store();
    desk.deliver(jobId, next);
    expect(await asked).toEqual({ commands: [next] });
    expect(numbers(await ask(1))).toEqual([2]);
  });

  it("misses no command that was stored before it asks", async () => {
    desk.deliver(jobId, await store());
    expect(numbers(await ask(1))).toEqual([2]);
    await store();
    wake(0);
    expect(numbers(await ask(2))).toEqual([3]);
  });

  it("gets what another server stores, alone and beside one from memory", async () => {
    const asked = ask(1);
    const next = await store();
    await store();
    desk.deliver(jobId, next);
    wake(1);
    expect(numbers(await asked)).toEqual([2]);
    expect(numbers(await ask(2))).toEqual([3]);
    const again = ask(3);
    await store();
    wake(1);
    expect(numbers(await again)).toEqual([4]);
  });

  it("gets all that came before a command from memory", async () => {
    const asked = ask(1);
    await store();
    desk.deliver(jobId, await store());
    expect(numbers(await asked)).toEqual([2, 3]);
  });

  it("is refused with a wrong token, and when its session has ended meanwhile", async () => {
    await expect(desk.take(jobId, "forged", { after: 1, wait: patient }, here)).rejects.toMatchObject({
      code: "runner_unknown",
    });
    const asked = ask(1);
    await server.db.updateTable("jobs").set({ state: "EXITED" }).where("id", "=", jobId).execute();
    wake(1);
    await expect(asked).rejects.toMatchObject({ code: "runner_ended" });
  });

  it("is answered at once when it does not want to wait", async () => {
    expect(await ask(1, 0)).toEqual({ commands: [] });
  });
});

it("every command arrives once and in order, whoever stores it and whenever", async () => {
  const last = 150;
  const order = Promise.resolve().then(async () => {
    while (stored < last) {
      const kind = Math.random();
      const next = await store();
      if (kind < 0.5) desk.deliver(jobId, next);
      else wake(kind < 0.75 ? 0 : 1);
      if (Math.random() < 0.5) await new Promise((resolve) => setTimeout(resolve, Math.random() * 8));
    }
  });
  const got: number[] = [];
  while (got.length < last) got.push(...numbers(await ask(got.length)));
  await order;
  expect(got).toEqual(Array.from({ length: last }, (_one, at) => at + 1));
});
