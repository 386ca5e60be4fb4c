import {
  NotificationEvent,
  NotificationPage,
  NotificationSettings,
} from "@miranda/contract/schemas/news/notifications.ts";
import { RunPage } from "@miranda/contract/schemas/runs.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { newId } from "../../platform/crypto.ts";
import { finishChore } from "../../testing/finish-chore.ts";
import { password, startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";
import { connect } from "../../testing/test-socket.ts";
import { script, Workbench } from "../../testing/workbench.ts";
import { createNotificationQueries } from "./notifications-queries.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const listed = async (person: TestAccount, query = "") =>
  NotificationPage.parse((await person.get(`/api/v3/notifications${query}`)).json());

const set = (person: TestAccount, settings: Record<string, string | number | boolean>) =>
  person.put("/api/v3/accounts/notification-settings", settings);

/** Waits until nothing is left to tell. */
async function told(bench: Workbench): Promise<void> {
  await expect
    .poll(async () => {
      const { rows } = await sql`select 1 from runs where graph_id = ${bench.graphId} and told_at is null`.execute(
        server.db,
      );
      return rows.length;
    })
    .toBe(0);
}

async function ranOnce(code: string, settings?: Record<string, string | number | boolean>): Promise<Workbench> {
  const bench = await started(code, settings);
  await bench.run();
  await told(bench);
  return bench;
}

async function started(code: string, settings?: Record<string, string | number | boolean>): Promise<Workbench> {
  const bench = await Workbench.open(server);
  if (settings) await set(bench.owner, settings);
  await bench.node(code, "Train");
  await bench.start();
  return bench;
}

async function add(person: TestAccount, count: number): Promise<string[]> {
  const queries = createNotificationQueries(server.db);
  const ids = Array.from({ length: count }, () => newId()).toSorted();
  for (const [at, id] of ids.entries())
    await queries.insert({
      ...{
        id,
        account_id: person.account.id,
        kind: "run_ended",
        run_id: null,
        project_id: null,
        model_id: null,
        thread_id: null,
      },
      title: `Title ${at}`,
      body: "",
    });
  return ids;
}

describe("the end of a run", () => {
  it("is told to who ran it, in every tab, wherever that is", async () => {
    const bench = await Workbench.open(server);
    await set(bench.owner, { min_seconds: 0 });
    const elsewhere = await connect(server, bench.owner);
    await bench.node(script("print('hello')"), "Train");
    await bench.start();
    await bench.run();
    const message = await elsewhere.next<string>("realtime_message_queue", (text) =>
      text.includes("new[NOTIFICATION]"),
    );
    const { payload }: { payload: { data: unknown } } = JSON.parse(message);
    const event = NotificationEvent.parse(payload.data);
    const [run] = RunPage.parse((await bench.owner.get(`/api/v3/runs?graph_id=${bench.graphId}`)).json()).runs;
    expect(event).toMatchObject({
      unread: 1,
      browser: true,
      notification: { kind: "run_ended", title: "Flow is done", run_id: run?.id, read: false },
    });
    expect(event.notification.body).toMatch(/^Run 1 took [\d.]+ m?s and cost (?:< )?\$\d\.\d+\.$/);
    expect((await listed(bench.owner)).notifications).toEqual([event.notification]);
    elsewhere.close();
    bench.close();
  });

  it("names the node and the reason when it failed", async () => {
    const bench = await ranOnce(script("raise ValueError('no rows')"), { min_seconds: 0 });
    const [notification] = (await listed(bench.owner)).notifications;
    expect(notification).toMatchObject({
      kind: "run_failed",
      title: "Flow failed",
      body: "Train: ValueError: no rows",
    });
    bench.close();
  });

  it("is not told when the run took less than a minute, unless the person wants it", async () => {
    const bench = await ranOnce(script("print('quick')"));
    expect(await listed(bench.owner)).toEqual({ notifications: [], unread: 0, next: null });
    bench.close();
  });

  it("is not told to a person who turned it off", async () => {
    const bench = await ranOnce(script("print('quick')"), { min_seconds: 0, run_ended: false });
    expect((await listed(bench.owner)).notifications).toEqual([]);
    bench.close();
  });

  it("is told once by two servers, also after one was killed before it could", async () => {
    const bench = await started(script("print('hello')"), { min_seconds: 0 });
    // Not before the session has started: without Redis nobody here would hear of one that the other server starts.
    const twin = await server.twin();
    onTestFinished(() => twin.close());
    await bench.run();
    await told(bench);
    expect((await listed(bench.owner)).notifications).toHaveLength(1);
    // As a server leaves it that was killed after the end was stored.
    await sql`update runs set told_at = null where graph_id = ${bench.graphId}`.execute(server.db);
    await told(bench);
    expect((await listed(bench.owner)).notifications).toHaveLength(2);
    bench.close();
  });
});

describe("the list", () => {
  it("comes in pages, newest first, with the number of unread ones of all", async () => {
    const person = await server.signUp();
    const ids = await add(person, 5);
    const first = await listed(person, "?limit=2");
    expect(first.notifications.map(({ id }) => id)).toEqual([ids[4], ids[3]]);
    expect(first).toMatchObject({ unread: 5, next: ids[3] });
    const last = await listed(person, `?limit=3&after=${first.next}`);
    expect(last.notifications.map(({ title }) => title)).toEqual(["Title 2", "Title 1", "Title 0"]);
    expect(last.next).toBeNull();
  });

  it("marks one as read, then all, and tells the other tabs", async () => {
    const person = await server.signUp();
    const [id = ""] = await add(person, 3);
    const tab = await connect(server, person);
    expect((await person.post("/api/v3/notifications/read", { id })).json()).toEqual({ unread: 2 });
    expect((await listed(person)).notifications.map(({ read }) => read)).toEqual([false, false, true]);
    expect((await person.post("/api/v3/notifications/read", {})).json()).toEqual({ unread: 0 });
    await tab.next<string>(
      "realtime_message_queue",
      (text) => text.includes("update[NOTIFICATIONS]") && text.includes('"unread":0'),
    );
    tab.close();
  });

  it("shows nobody the notifications of another account", async () => {
    const [person, other] = [await server.signUp(), await server.signUp()];
    const [id = ""] = await add(person, 1);
    expect((await listed(other)).notifications).toEqual([]);
    const answer = await other.post("/api/v3/notifications/read", { id });
    expect([answer.status, answer.text]).toEqual([404, "Notification not found."]);
    expect((await listed(person)).unread).toBe(1);
    expect((await server.anonymous().get("/api/v3/notifications")).status).toBe(401);
  });

  it("keeps the newest thousand of an account, all about its security, and those of 90 days", async () => {
    const person = await server.signUp();
    await sql`insert into notifications (id, account_id, kind, title)
      select gen_random_uuid(), ${person.account.id}, 'run_ended', 'Old' from generate_series(1, 1000)`.execute(
      server.db,
    );
    await sql`update notifications set id = overlay(id::text placing '00000000' from 1)::uuid
      where account_id = ${person.account.id}`.execute(server.db);
    await sql`insert into notifications (id, account_id, kind, title)
      values ('00000000-0000-4000-8000-000000000000', ${person.account.id}, 'account_security', 'Old')`.execute(
      server.db,
    );
    await add(person, 2);
    // Those about the security of the account stay, whatever comes after them.
    expect((await listed(person)).unread).toBe(1_001);
    const { rows } = await sql`select 1 from notifications
      where account_id = ${person.account.id} and kind = 'account_security'`.execute(server.db);
    expect(rows).toHaveLength(1);
    await sql`update notifications set created_at = now() - interval '91 days' where title = 'Old'`.execute(server.db);
    await finishChore(createNotificationQueries(server.db).sweep());
    expect((await listed(person)).unread).toBe(2);
  });

  it("goes with the account", async () => {
    const person = await server.signUp();
    await add(person, 1);
    const form = { username: person.account.username, password, projects: "delete" };
    expect((await person.send("DELETE", "/api/v3/auth/account", new URLSearchParams(form))).status).toBe(200);
    const { rows } = await sql`select 1 from notifications where account_id = ${person.account.id}`.execute(server.db);
    expect(rows).toEqual([]);
  });

  it.each([
    ["a page of a million", "?limit=1000000", "limit must be a whole number from 1 to 100."],
    ["a key that is no id", "?after=last", "That is not a valid id."],
  ])("refuses %s", async (_what, query, words) => {
    const answer = await (await server.signUp()).get(`/api/v3/notifications${query}`);
    expect([answer.status, answer.text]).toEqual([400, words]);
  });
});

describe("the settings of an account", () => {
  it("are all on at first, from one minute on, and keep what was saved", async () => {
    const person = await server.signUp();
    const read = async () =>
      NotificationSettings.parse((await person.get("/api/v3/accounts/notification-settings")).json());
    const all = {
      ...{ run_ended: true, run_failed: true, budget_reached: true, webhook_failed: true },
      ...{ schedule_failed: true, call_reported: true, model_version: true, model_alias: true },
      ...{ comment_mention: true, comment_reply: true, membership: true, session_stopped: true },
    };
    expect(await read()).toEqual({ ...all, min_seconds: 60, browser: true });
    await set(person, { ...all, run_ended: false, min_seconds: 300, browser: false });
    expect(await read()).toEqual({ ...all, run_ended: false, min_seconds: 300, browser: false });
  });

  it.each([
    ["a duration below zero", { min_seconds: -1 }, "The seconds must be a number from 0 to 86400."],
    ["a duration that is no number", { min_seconds: "soon" }, "The seconds must be a number from 0 to 86400."],
    ["a choice that is neither yes nor no", { run_ended: "maybe" }, "run_ended must be true or false."],
  ])("refuse %s and stay as they were", async (_what, settings, words) => {
    const person = await server.signUp();
    const answer = await set(person, settings);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(words);
    const read = (await person.get("/api/v3/accounts/notification-settings")).json<NotificationSettings>();
    expect(read.min_seconds).toBe(60);
  });
});
