import { runnerCall as limits } from "../limits.ts";
import { readFile } from "node:fs/promises";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { FaultBench } from "../faults/fault-bench.ts";
import { hashToken, newId } from "../platform/crypto.ts";
import { TestClient } from "../testing/test-client.ts";
import type { Workbench } from "../testing/workbench.ts";
import { RawConnection } from "./raw-http.ts";

// What strangers and forged agents can do to the agents' calls.

const megabyte = 1024 * 1024;
const token = "the right token";

let fault: FaultBench;
let bench: Workbench;
let jobId: string;
beforeAll(async () => {
  fault = await FaultBench.open();
  bench = await fault.workbench();
});
afterAll(async () => {
  bench.close();
  await fault.close();
});
beforeEach(async () => {
  await fault.database.db.deleteFrom("jobs").execute();
  jobId = await makeJob(1);
});

async function makeJob(tag: number): Promise<string> {
  const id = newId();
  const seen_at = new Date(Date.now() + 3_600_000);
  const row = { id, tag, graph_id: tag === 1 ? bench.graphId : null, account_id: bench.owner.account.id, name: "Flow" };
  const job = { ...row, engine: "local", state: "STARTING" as const, token_hash: hashToken(token), total_cost: null };
  await fault.database.db
    .insertInto("jobs")
    .values({ ...job, seen_at })
    .execute();
  return id;
}

const events = (id = jobId): string => `/api/runner/${id}/events`;
const json = { "content-type": "application/json" };
const bearer = { ...json, authorization: `Bearer ${token}` };
const logged = (text: string): string =>
  JSON.stringify({ first: 1, events: [{ kind: "log", tag: 0, at: 1, text, node: null }] });
const lastEvent = async (id = jobId): Promise<number> =>
  (await fault.database.db.selectFrom("jobs").select("last_event").where("id", "=", id).executeTakeFirstOrThrow())
    .last_event;
const open = (): Promise<RawConnection> => RawConnection.open(fault.server.url);

function agent(): TestClient {
  const client = new TestClient(fault.server.url);
  client.headers = { authorization: `Bearer ${token}` };
  return client;
}

/** After this call the server has cached the token, and handles calls in their order. */
async function knowToken(): Promise<void> {
  expect((await agent().get(`/api/runner/${jobId}/commands?wait=0`)).status).toBe(200);
}

/** The server's peak memory in bytes. */
async function peakMemory(): Promise<number> {
  const status = await readFile(`/proc/${fault.server.pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

describe("a stranger", () => {
  const attempts: [string, string, () => string, Record<string, string>][] = [
    ["no token", "events", () => jobId, json],
    ["a wrong token", "events", () => jobId, { ...json, authorization: "Bearer guessed" }],
    ["a job that does not exist", "events", newId, bearer],
    ["what is no job at all", "events", () => "%00", bearer],
    ["a wrong token for a secret", "secret", () => jobId, { ...json, authorization: "Bearer guessed" }],
    ["a wrong token for a file", "file", () => jobId, { ...json, authorization: "Bearer guessed" }],
    ["a wrong token for git", "git/1", () => jobId, { ...json, authorization: "Bearer guessed" }],
  ];

  it.each(attempts)(
    "with %s is refused before the body is sent, and disconnected",
    async (_what, call, job, headers) => {
      for (const size of [{ "content-length": 96 * megabyte }, { "transfer-encoding": "chunked" }]) {
        const stranger = await open();
        stranger.head("POST", `/api/runner/${job()}/${call}`, { ...headers, ...size });
        expect(await stranger.status()).toBe(401);
        await stranger.closed;
        expect(stranger.received).toContain("This token is not the job's.");
      }
    },
  );

  it("that sends 96 MB over many connections costs no memory and delays nobody", async () => {
    const before = await peakMemory();
    const strangers = await Promise.all(Array.from({ length: 100 }, open));
    const pouring = strangers.map(async (stranger, at) => {
      const authorization = at % 2 === 0 ? {} : { authorization: "Bearer guessed" };
      stranger.head("POST", events(), { ...json, ...authorization, "content-length": 96 * megabyte });
      await stranger.pour(96 * megabyte);
      await stranger.closed;
    });
    const reads = await Promise.all(Array.from({ length: 10 }, () => bench.owner.get("/api/v3/projects/")));
    expect(reads.map(({ status }) => status)).toEqual(reads.map(() => 200));
    expect((await agent().postJson(events(), JSON.parse(logged("heard")) as object)).status).toBe(200);
    await Promise.all(pouring);
    // Only what the kernels buffer: the server has read next to nothing.
    for (const { sent } of strangers) expect(sent).toBeLessThan(24 * megabyte);
    expect((await peakMemory()) - before).toBeLessThan(150 * megabyte);
    expect(await lastEvent()).toBe(1);
  });

  it("leaves most connections to the database to others, however often it comes", async () => {
    const stranger = new TestClient(fault.server.url);
    stranger.headers = { authorization: "Bearer made up" };
    const asking: Promise<{ status: number }>[] = [];
    await fault.database.db.transaction().execute(async (trx) => {
      // Whoever looks a session up waits for as long as this lasts.
      await sql`lock table jobs in access exclusive mode`.execute(trx);
      for (let at = 0; at < 100; at += 1) asking.push(stranger.get(`/api/runner/${newId()}/commands?wait=0`));
      for (let at = 0; at < 5; at += 1) expect((await bench.owner.get("/api/v3/auth/")).status).toBe(200);
    });
    for (const { status } of await Promise.all(asking)) expect(status).toBe(401);
    await knowToken();
  });
});

describe("a caller with the token", () => {
  it.each([
    ["events", limits.batchMax],
    ["secret", limits.questionMax],
    ["file", limits.questionMax],
    ["git/1", limits.gitStepMax],
  ])("is refused an oversized body for %s before it is sent", async (call, most) => {
    const sender = await open();
    sender.head("POST", `/api/runner/${jobId}/${call}`, { ...bearer, "content-length": most + 1 });
    expect(await sender.status()).toBe(413);
    await sender.closed;
  });

  it("is disconnected when a body without a length grows too long", async () => {
    const sender = await open();
    sender.head("POST", `/api/runner/${jobId}/secret`, { ...bearer, "transfer-encoding": "chunked" });
    sender.socket.write(`4000\r\n${"x".repeat(0x4000)}\r\n`);
    expect(await sender.status()).toBe(413);
    await sender.closed;
  });

  it("changes nothing with a body of another length than declared", async () => {
    const body = logged("half");
    const short = await open();
    short.head("POST", events(), { ...bearer, "content-length": body.length + 10 });
    short.socket.end(body);
    await short.closed;
    const long = await open();
    long.head("POST", events(), { ...bearer, "content-length": body.length - 1 });
    long.socket.write(body);
    expect(await long.status()).toBe(400);
    long.close();
    expect(await lastEvent()).toBe(0);
  });

  it("must send JSON, because forms are limited by field only", async () => {
    const form = new FormData();
    form.set("events", "x");
    const path = events();
    expect((await agent().send("POST", path, form)).status).toBe(415);
    const urlencoded = { "content-type": "application/x-www-form-urlencoded" };
    expect((await agent().send("POST", path, "first=1", urlencoded)).status).toBe(415);
    expect(await lastEvent()).toBe(0);
  });

  it("may send its longest line with every character escaped", async () => {
    const body = logged("\u0001".repeat(11 * megabyte));
    expect(body.length).toBeGreaterThan(60 * megabyte);
    expect((await agent().send("POST", events(), body, json)).status).toBe(200);
    expect(await lastEvent()).toBe(1);
  });

  it("is refused an endless list before it is parsed", async () => {
    const list = "[],".repeat(limits.valuesMax);
    const body = `{"first":1,"events":[{"kind":"output","node":1,"run":1,"number":1,"metadata":{},"data":{"x":[${list}0]}}]}`;
    expect(body.length).toBeGreaterThan(limits.unseenMax);
    expect((await agent().send("POST", events(), body, json)).status).toBe(413);
    expect(await lastEvent()).toBe(0);
    // A list inside a string is only text.
    expect((await agent().send("POST", events(), logged('\\"[,'.repeat(2 * megabyte)), json)).status).toBe(200);
  });

  it("that sends a body slowly delays its own next batch, and no other session's", async () => {
    const body = logged("slow");
    await knowToken();
    const slow = await open();
    slow.head("POST", events(), { ...bearer, "content-length": body.length });
    slow.socket.write(body.slice(0, 10));
    const other = await makeJob(2);
    expect((await agent().send("POST", events(other), logged("other"), json)).status).toBe(200);

    const second = await open();
    second.head("POST", events(), { ...bearer, "content-length": body.length });
    second.socket.write(body);
    await knowToken();
    expect(second.received).toBe("");
    slow.socket.write(body.slice(10));
    expect(await slow.status()).toBe(200);
    expect(await second.status()).toBe(200);
    expect(await lastEvent()).toBe(1);
    for (const one of [slow, second]) one.close();
  });

  it("that disconnects in the middle of a batch frees the place for the next", async () => {
    const gone = await open();
    gone.head("POST", events(), { ...bearer, "content-length": 1_000 });
    gone.socket.write("{");
    const next = agent().send("POST", events(), logged("next"), json);
    gone.close();
    expect((await next).status).toBe(200);
  });

  it("that sends many batches at once has some queued and the rest refused, and recovers", async () => {
    const body = logged("once");
    await knowToken();
    const slow = await open();
    slow.head("POST", events(), { ...bearer, "content-length": body.length });
    await knowToken();
    const many = await Promise.all(Array.from({ length: limits.waitingMax + 10 }, open));
    for (const one of many) {
      one.head("POST", events(), { ...bearer, "content-length": body.length });
      one.socket.write(body);
    }
    await expect.poll(() => many.filter(({ received }) => received.startsWith("HTTP/1.1 429")).length).toBe(10);
    slow.socket.write(body);
    expect(await slow.status()).toBe(200);
    const answered = (await Promise.all(many.map((one) => one.status()))).filter((status) => status === 200);
    expect(answered).toHaveLength(limits.waitingMax);
    expect(await lastEvent()).toBe(1);
    for (const one of [slow, ...many]) one.close();
  });
});
