import { type NotificationPage } from "@miranda/contract/schemas/news/notifications.ts";
import {
  type WebhookCall,
  WebhookCallList,
  type WebhookList,
  WebhookWithSecret,
} from "@miranda/contract/schemas/news/webhooks.ts";
import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { webhookCalls } from "../../limits.ts";
import { finishChore } from "../../testing/finish-chore.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { until } from "../../testing/test-socket.ts";
import { script, Workbench } from "../../testing/workbench.ts";
import { createWebhookQueries } from "./webhooks-queries.ts";

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A server of somebody else, which remembers what it was sent. */
class Receiver {
  readonly received: Received[] = [];
  answer: (response: ServerResponse) => void = (response) => response.end("thanks");
  readonly #server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => void parts.push(part));
    request.on("end", () => {
      this.received.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
      this.answer(response);
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/hook`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

let server: TestServer;
const receivers: Receiver[] = [];
beforeAll(async () => {
  server = await startTestServer({ webhookPrivate: true });
});
afterEach(() => {
  for (const receiver of receivers.splice(0)) receiver.close();
});
afterAll(() => server.close());

async function receive(): Promise<{ receiver: Receiver; url: string }> {
  const receiver = new Receiver();
  receivers.push(receiver);
  return { receiver, url: await receiver.listen() };
}

const address = (bench: Workbench, id = "") => `/api/v3/projects/${bench.projectId}/webhooks${id && `/${id}`}`;

async function hook(bench: Workbench, url: string, events = ["run_ended"]): Promise<WebhookWithSecret> {
  const made = await bench.owner.post(address(bench), { url, events: JSON.stringify(events) });
  return WebhookWithSecret.parse(made.json());
}

async function calls(bench: Workbench, id: string): Promise<WebhookCall[]> {
  return WebhookCallList.parse((await bench.owner.get(`${address(bench, id)}/calls`)).json());
}

async function callWith(bench: Workbench, id: string, isIt: (call: WebhookCall) => boolean): Promise<WebhookCall> {
  let found: WebhookCall | undefined;
  await expect
    .poll(async () => (found = (await calls(bench, id)).find(isIt)) !== undefined, { timeout: 20_000 })
    .toBe(true);
  if (!found) throw new Error("no such call");
  return found;
}

async function ran(bench: Workbench, code: string): Promise<void> {
  await bench.node(code);
  await bench.start();
  await bench.run();
}

/** What waits is sent now, as if its pause were over. */
const endPauses = (webhookId: string) =>
  sql`update webhook_calls set next_at = now() where webhook_id = ${webhookId} and next_at is not null`.execute(
    server.db,
  );

describe("a call", () => {
  it("is sent when a run ends, signed, and its answer is listed", async () => {
    const bench = await Workbench.open(server);
    const { receiver, url } = await receive();
    const { id, secret } = await hook(bench, url);
    await ran(bench, script("print('hello')"));
    await until(() => receiver.received.length > 0, "no call came");
    const [{ headers, body } = { headers: {}, body: "" }] = receiver.received;
    const time = String(headers["x-miranda-timestamp"]);
    const signature = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex");
    expect(headers["x-miranda-signature"]).toBe(`sha256=${signature}`);
    expect(Math.abs(Number(time) - Date.now() / 1_000)).toBeLessThan(60);
    expect(headers["x-miranda-event"]).toBe("run_ended");
    const told: { event: string; run: Record<string, unknown> } = JSON.parse(body);
    expect(told).toMatchObject({
      event: "run_ended",
      run: {
        state: "done",
        number: 1,
        by: bench.owner.account.username,
        nodes: { run: 1 },
        project: { name: "Tides" },
      },
    });
    const call = await callWith(bench, id, ({ state }) => state === "arrived");
    expect(call).toMatchObject({ status: 200, answer: "thanks", tries: 1, run_id: told.run["id"], time_next: null });
    expect(headers["x-miranda-delivery"]).toBe(call.id);
    bench.close();
  });

  it("is one for each run, however many events the webhook asked for and however many servers there are", async () => {
    const bench = await Workbench.open(server);
    const { receiver, url } = await receive();
    const { id } = await hook(bench, url, ["run_ended", "run_failed", "budget_reached"]);
    await bench.node(script("raise ValueError('no')"));
    await bench.start();
    // Not before the session has started: without Redis nobody here would hear of one that the other server starts.
    const twin = await server.twin();
    onTestFinished(() => twin.close());
    await bench.run();
    await callWith(bench, id, ({ state }) => state === "arrived");
    expect(receiver.received.map(({ headers }) => headers["x-miranda-event"])).toEqual(["run_ended"]);
    bench.close();
  });

  it("is not sent about a good run to a webhook that asked for failures", async () => {
    const bench = await Workbench.open(server);
    const { receiver, url } = await receive();
    const { id } = await hook(bench, url, ["run_failed"]);
    await ran(bench, script("print('good')"));
    await bench.node(script("raise ValueError('no')"), "Bad");
    await bench.run();
    await callWith(bench, id, ({ state }) => state === "arrived");
    expect(receiver.received.map(({ headers }) => headers["x-miranda-event"])).toEqual(["run_failed"]);
    bench.close();
  });

  it("is tried again after growing pauses, then given up, and the owner is told once", async () => {
    const bench = await Workbench.open(server);
    const { receiver, url } = await receive();
    receiver.answer = (response) => response.writeHead(500).end("broken");
    const { id } = await hook(bench, url);
    await ran(bench, script("print('hello')"));
    const pauses: number[] = [];
    for (let tries = 1; tries < 8; tries++) {
      const call = await callWith(bench, id, (one) => one.tries === tries && one.time_answered !== null);
      expect(call).toMatchObject({ state: "waiting", status: 500, answer: "broken" });
      const answered = Date.parse(call.time_answered ?? "");
      pauses.push(Math.round((Date.parse(call.time_next ?? "") - answered) / 60_000));
      await endPauses(id);
    }
    expect(pauses).toEqual([1, 5, 15, 60, 120, 240, 360]);
    const given = await callWith(bench, id, ({ state }) => state === "given_up");
    expect(given).toMatchObject({ tries: 8, status: 500 });
    expect(new Set(receiver.received.map(({ headers }) => headers["x-miranda-delivery"]))).toEqual(new Set([given.id]));
    const read = async () => (await bench.owner.get("/api/v3/notifications")).json<NotificationPage>().notifications;
    await expect.poll(async () => (await read()).map(({ kind }) => kind)).toEqual(["webhook_failed"]);
    expect((await read())[0]).toMatchObject({ title: "A webhook of Tides fails", project_id: bench.projectId });
    bench.close();
  }, 120_000);

  it("that fails for three days turns its webhook off, which tells the owner, and a person can turn it on", async () => {
    const bench = await Workbench.open(server);
    const { receiver, url } = await receive();
    receiver.answer = (response) => response.writeHead(503).end();
    const { id } = await hook(bench, url);
    await sql`update webhooks set failing_since = now() - interval '4 days', failure_told = true where id = ${id}`.execute(
      server.db,
    );
    await sql`insert into webhook_calls (id, webhook_id, event, body, tries, next_at)
      values (gen_random_uuid(), ${id}, 'run_ended', '{}', 7, now())`.execute(server.db);
    const read = async () => (await bench.owner.get(address(bench))).json<WebhookList>()[0];
    await expect.poll(async () => (await read())?.enabled, { timeout: 20_000 }).toBe(false);
    expect((await read())?.disabled_reason).toBe("Every call has failed for 3 days.");
    const titles = async () =>
      (await bench.owner.get("/api/v3/notifications")).json<NotificationPage>().notifications.map(({ title }) => title);
    await expect.poll(titles).toEqual(["A webhook of Tides was turned off"]);
    await bench.owner.patch(address(bench, id), { enabled: true });
    expect(await read()).toMatchObject({ enabled: true, disabled_reason: "", failing_since: null });
    bench.close();
  });

  it("to a server that hangs does not hold up another webhook", async () => {
    const bench = await Workbench.open(server);
    const [hanging, good] = [await receive(), await receive()];
    hanging.receiver.answer = () => undefined;
    const { id: slow } = await hook(bench, hanging.url);
    const { id } = await hook(bench, good.url);
    await ran(bench, script("print('hello')"));
    await callWith(bench, id, ({ state }) => state === "arrived");
    expect((await calls(bench, slow))[0]).toMatchObject({ state: "waiting", tries: 0 });
    bench.close();
  });

  it("is refused when a thousand of its project wait, and that is listed", async () => {
    const bench = await Workbench.open(server);
    const { url } = await receive();
    const { id } = await hook(bench, url);
    await sql`insert into webhook_calls (id, webhook_id, event, body, next_at)
      select overlay(gen_random_uuid()::text placing '00000000' from 1)::uuid, ${id}, 'run_ended', '{}', now() + interval '1 hour' from generate_series(1, 1000)`.execute(
      server.db,
    );
    await ran(bench, script("print('hello')"));
    const refused = await callWith(bench, id, ({ state }) => state === "given_up");
    expect(refused).toMatchObject({ tries: 0, answer: "Not sent: too many calls of this project wait." });
    await bench.owner.patch(address(bench, id), { enabled: false });
    expect((await calls(bench, id)).every(({ state }) => state === "given_up")).toBe(true);
    await finishChore(createWebhookQueries(server.db).sweep());
    const { rows } = await sql<{ count: number }>`select count(*) from webhook_calls where webhook_id = ${id}`.execute(
      server.db,
    );
    expect(rows[0]?.count).toBeLessThanOrEqual(101);
    bench.close();
  });
});

describe("the test call", () => {
  it("is sent once and answers with what came back, also while the webhook is turned off", async () => {
    const bench = await Workbench.open(server);
    const { receiver, url } = await receive();
    receiver.answer = (response) => response.writeHead(418).end("teapot");
    const { id } = await hook(bench, url);
    await bench.owner.patch(address(bench, id), { enabled: false });
    const call = (await bench.owner.post(`${address(bench, id)}/test`)).json<WebhookCall>();
    expect(call).toMatchObject({ event: "test", status: 418, answer: "teapot", tries: 1, state: "given_up" });
    expect(receiver.received).toHaveLength(1);
    bench.close();
  });

  it("is refused while several of the same person wait for an answer", async () => {
    const bench = await Workbench.open(server);
    const { receiver, url } = await receive();
    const held: ServerResponse[] = [];
    receiver.answer = (response) => void held.push(response);
    const { id } = await hook(bench, url);
    const test = () => bench.owner.post(`${address(bench, id)}/test`);
    const waiting = Array.from({ length: webhookCalls.testsPerAccount }, test);
    await until(() => held.length === webhookCalls.testsPerAccount, "not all tests arrived");
    const refused = await test();
    expect([refused.status, refused.text]).toEqual([
      429,
      "You are testing several webhooks already. Wait for their answers.",
    ]);
    for (const response of held) response.end();
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
    receiver.answer = (response) => void response.end();
    expect((await test()).status).toBe(200);
    bench.close();
  });
});
