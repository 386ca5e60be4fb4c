import { logsEvent } from "@miranda/contract/events.ts";
import { socket as limits } from "@miranda/contract/limits.ts";
import type { LinesLeftOutEvent, LogEntry } from "@miranda/contract/schemas/processors.ts";
import type { Socket as TcpSocket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { findRedis } from "../../../../scripts/redis.ts";
import { openRedis, type Redis } from "../../../platform/redis.ts";
import { buildGraph, buildProject, type Cast, signUpCast } from "../../../testing/access.ts";
import { openSecondRealtime } from "../../../testing/second-realtime.ts";
import { TestRedis } from "../../../testing/services/redis.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { connect, type TestSocket } from "../../../testing/test-socket.ts";

const job = "0190a000-0000-7000-8000-000000000001";
/** Lines of one event, together 100 kB. */
const linesAtOnce = 100;

let server: TestServer;
let cast: Cast;
let graph: string;
const closers: (() => Promise<void>)[] = [];
beforeAll(async () => {
  server = await startTestServer();
  closers.push(() => server.close());
  cast = await signUpCast(server);
  graph = await buildGraph(cast, (await buildProject(cast)).id);
});
afterAll(async () => {
  for (const close of closers.toReversed()) await close();
});

async function open(redis?: Redis) {
  const second = await openSecondRealtime(server, redis);
  closers.push(async () => second.http.close());
  return second;
}

async function enter(at: TestServer, client = cast.editor): Promise<TestSocket> {
  const socket = await connect(at, client);
  await socket.enter(graph);
  return socket;
}

const tcpOf = ({ socket }: TestSocket): TcpSocket =>
  (socket.io.engine as unknown as { transport: { ws: { _socket: TcpSocket } } }).transport.ws._socket;

const entry = (first: number): LogEntry => ({
  id: first,
  timestamp: new Date(0).toISOString(),
  tag: 0,
  message: Array.from({ length: linesAtOnce }, (_, at) => `${first + at} `.padEnd(999, "x")).join("\n"),
});

const firstsOf = (socket: TestSocket): number[] =>
  socket.all<LogEntry[]>(logsEvent(job)).flatMap((entries) => entries.map(({ id }) => id));

type Publishing = Awaited<ReturnType<typeof openSecondRealtime>>["realtime"];

/** One reader stalls, the other goes on reading. More lines are published than may wait for the first one. */
async function stallOne(publishing: Publishing, at: TestServer) {
  const stalled = await enter(at);
  const reading = await enter(at, cast.viewer);
  tcpOf(stalled).pause();
  const events = 300;
  for (let number = 0; number < events; number += 1) {
    publishing.publish(graph, logsEvent(job), [entry(number * linesAtOnce + 1)]);
    if (number === 200) publishing.publish(graph, "output", output(1, "x".repeat(limits.smallOutput * 2)));
    if (number === 200) publishing.publish(graph, "output", output(2, "small"));
    await reading.next<LogEntry[]>(logsEvent(job), ([one]) => one?.id === number * linesAtOnce + 1);
  }
  return { stalled, reading, events, last: events * linesAtOnce };
}

const output = (number: number, text: string) => ({
  ...{ job_id: job, wob_key: 1, run: 1, number, id: null },
  ...{ data: { "text/plain": text }, metadata: {} },
});

async function expectTold({ stalled, reading, events, last }: Awaited<ReturnType<typeof stallOne>>): Promise<void> {
  expect(firstsOf(reading)).toHaveLength(events);
  tcpOf(stalled).resume();
  const told = await stalled.next<LinesLeftOutEvent>("lines_left_out");
  const received = firstsOf(stalled);
  // Every line was either sent or is among those to fetch.
  expect(received).toEqual(received.map((_, at) => at * linesAtOnce + 1));
  expect(received.length).toBeLessThan(events);
  expect(told).toEqual({ job_id: job, first: received.length * linesAtOnce + 1, last });
  expect(await stalled.next("outputs_left_out")).toEqual({ job_id: job });
  expect(stalled.all<{ number: number }>("output").map(({ number }) => number)).toEqual([2]);
  expect(reading.all<{ number: number }>("output").map(({ number }) => number)).toEqual([1, 2]);
  expect(reading.all("lines_left_out")).toEqual([]);
}

describe("a connection that reads too slowly", () => {
  it("is told which lines it missed, and then gets new lines again", async () => {
    const { realtime, server: at } = await open();
    const ends = await stallOne(realtime, at);
    await expectTold(ends);
    realtime.publish(graph, logsEvent(job), [entry(ends.last + 1)]);
    await ends.stalled.next<LogEntry[]>(logsEvent(job), ([one]) => one?.id === ends.last + 1);
    expect(ends.stalled.all("lines_left_out")).toHaveLength(1);
    ends.stalled.close();
    ends.reading.close();
  });

  it.skipIf(!findRedis())("is told when another server published the lines", async () => {
    const redis = await TestRedis.open();
    closers.push(() => redis.close());
    const [one, other] = await Promise.all([openRedis(redis.url, report), openRedis(redis.url, report)]);
    closers.push(one.close, other.close);
    const publishing = await open(one);
    const holding = await open(other);
    const ends = await stallOne(publishing.realtime, holding.server);
    await expectTold(ends);
    expect(ends.stalled.all("lines_left_out")).toHaveLength(1);
    ends.stalled.close();
    ends.reading.close();
  });
});

function report(error: unknown): void {
  throw error;
}
