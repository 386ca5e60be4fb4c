import { seededRandom } from "@miranda/contract/graph/graph-samples.ts";
import { socket as limits } from "@miranda/contract/limits.ts";
import type { Member } from "@miranda/contract/schemas/members.ts";
import { io, type Socket } from "socket.io-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { findRedis } from "../../../scripts/redis.ts";
import { createRealtime } from "../../../web/api/socket.ts";
import { attend } from "../../../web/providers/presence.ts";
import { buildGraph, type Cast, signUpCast } from "../../testing/access.ts";
import { TestRedis } from "../../testing/services/redis.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";
import { until } from "../../testing/test-socket.ts";

/** A browser's own presence code, on its own connection. */
class Visitor {
  readonly username: string;
  readonly cookie: string;
  readonly socket: Socket;
  readonly #realtime: ReturnType<typeof createRealtime>;
  #leave: (() => void) | undefined;
  members: readonly Member[] = [];
  /** The server has acknowledged the last enter. */
  isLetIn = false;

  constructor(url: string, { account, cookies }: TestAccount) {
    this.username = account.username;
    this.cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const socket = io(url, {
      path: limits.path,
      transports: ["websocket"],
      forceNew: true,
      autoConnect: false,
      extraHeaders: { cookie: this.cookie },
    });
    this.socket = socket;
    this.#realtime = createRealtime(async () => socket);
    this.#realtime.open();
  }

  async connect(): Promise<void> {
    this.socket.connect();
    await until(() => this.#realtime.isConnected(), `${this.username} is not connected`);
  }

  get isIn(): boolean {
    return this.#leave !== undefined;
  }

  enter(graphId: string): void {
    this.isLetIn = false;
    this.#leave ??= attend({
      graphId,
      realtime: this.#realtime,
      onMembers: (members) => (this.members = members),
      onEntered: () => (this.isLetIn = true),
      onMissing: () => undefined,
    });
  }

  leave(): void {
    this.#leave?.();
    this.#leave = undefined;
  }

  get seen(): string {
    return this.members.map(({ username }) => username).join(" ");
  }
}

const namesOf = (visitors: readonly Visitor[]) =>
  visitors
    .filter(({ isIn }) => isIn)
    .map(({ username }) => username)
    .sort()
    .join(" ");

/** What people inside see, once it equals who is inside, or after a timeout. */
async function views(visitors: readonly Visitor[]): Promise<Set<string>> {
  const inside = visitors.filter(({ isIn }) => isIn);
  const expected = namesOf(visitors);
  const isTrue = () => inside.every((visitor) => visitor.isLetIn && visitor.seen === expected);
  await until(isTrue, "not alike").catch(() => undefined);
  return new Set(inside.map(({ username, isLetIn, seen }) => (isLetIn ? seen : `${username} was not let in`)));
}

async function empty(visitors: readonly Visitor[]): Promise<void> {
  for (const visitor of visitors) visitor.leave();
  // The server handles a connection's events in order: this answer comes after the leave.
  await Promise.all(visitors.map(({ socket }) => socket.emitWithAck("leave_project", "")));
}

/** Every event counts towards a connection's rate: without a pause between rounds some would be refused. */
const breathe = () => new Promise((resolve) => setTimeout(resolve, 200));

const rounds = 20;
// So long that no list is refreshed by the timer, which would hide a bug.
const presenceExpiry = 3_600_000;
const graphOf = async (cast: Cast) => {
  const made = await cast.owner.post("/api/v3/projects/", { name: "Open", description: "" });
  return buildGraph(cast, made.json<{ id: string }>().id);
};

function describeRounds(open: () => { visitors: Visitor[]; graph: string }): void {
  it("S7-094 everybody sees everybody when ten enter at the same moment", async () => {
    const { visitors, graph } = open();
    for (let round = 0; round < rounds; round++) {
      for (const visitor of visitors) visitor.enter(graph);
      expect(await views(visitors)).toEqual(new Set([namesOf(visitors)]));
      await empty(visitors);
      await breathe();
    }
  });

  it("S7-094 to S7-096 people who stay see each other while others enter and leave", async () => {
    const { visitors, graph } = open();
    const random = seededRandom(94);
    for (let round = 0; round < rounds; round++) {
      const turns = visitors.flatMap((visitor) => Array.from({ length: 1 + Math.floor(random() * 4) }, () => visitor));
      turns.sort(() => random() - 0.5);
      for (const visitor of turns) {
        if (visitor.isIn) visitor.leave();
        else visitor.enter(graph);
        if (random() < 0.3) await new Promise((resolve) => setTimeout(resolve, random() * 4));
      }
      expect(await views(visitors)).toEqual(new Set([namesOf(visitors)]));
      await breathe();
    }
    await empty(visitors);
  });

  it("S7-096 nobody sees a connection that broke while others entered", async () => {
    const { visitors, graph } = open();
    for (let round = 0; round < 5; round++) {
      for (const visitor of visitors) visitor.enter(graph);
      const [broken, ...others] = visitors;
      broken?.socket.disconnect();
      broken?.leave();
      expect(await views(others)).toEqual(new Set([namesOf(others)]));
      await empty(others);
      await broken?.connect();
    }
  });
}

describe("at one server", () => {
  let server: TestServer;
  let visitors: Visitor[];
  let graph: string;
  beforeAll(async () => {
    server = await startTestServer({ presenceExpiry });
    const cast = await signUpCast(server);
    graph = await graphOf(cast);
    const people: TestAccount[] = [cast.owner];
    while (people.length < 10) people.push(await server.signUp());
    visitors = people.map((person) => new Visitor(server.url, person));
    await Promise.all(visitors.map((visitor) => visitor.connect()));
  }, 60_000);
  afterAll(async () => {
    for (const { socket } of visitors) socket.disconnect();
    await server.close();
  });

  describeRounds(() => ({ visitors, graph }));

  it("shows a person with two tabs until both are closed", async () => {
    const [one, other] = visitors as [Visitor, Visitor];
    const tab = io(server.url, {
      path: limits.path,
      transports: ["websocket"],
      forceNew: true,
      extraHeaders: { cookie: one.cookie },
    });
    expect(await tab.emitWithAck("enter_project", graph)).toBe(null);
    one.enter(graph);
    other.enter(graph);
    expect(await views(visitors)).toEqual(new Set([namesOf([one, other])]));
    one.leave();
    await one.socket.emitWithAck("leave_project", "");
    expect(other.members).toHaveLength(2);
    tab.disconnect();
    await until(() => other.seen === other.username, "the closed tab is still there");
    await empty(visitors);
  });
});

describe.skipIf(!findRedis())("at two servers with one Redis", () => {
  let redis: TestRedis;
  let one: TestServer;
  let two: Awaited<ReturnType<TestServer["twin"]>>;
  let visitors: Visitor[];
  let graph: string;
  beforeAll(async () => {
    redis = await TestRedis.open();
    one = await startTestServer({ redisUrl: redis.url, secretKey: "the same for both", presenceExpiry });
    two = await one.twin();
    const cast = await signUpCast(one);
    graph = await graphOf(cast);
    const people: TestAccount[] = [cast.owner];
    while (people.length < 10) people.push(await one.signUp());
    visitors = people.map((person, at) => new Visitor(at % 2 === 0 ? one.url : two.url, person));
    await Promise.all(visitors.map((visitor) => visitor.connect()));
  }, 60_000);
  afterAll(async () => {
    for (const { socket } of visitors ?? []) socket.disconnect();
    await two?.close();
    await one?.close();
    await redis?.close();
  });

  describeRounds(() => ({ visitors, graph }));
});
