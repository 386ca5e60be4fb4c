import { errors } from "@miranda/contract/errors.ts";
import { broadcastChannels } from "@miranda/contract/broadcast-channels.ts";
import { type ClientEvents, parseBroadcastEvent } from "@miranda/contract/events.ts";
import { broadcastSamples, seededRandom } from "@miranda/contract/graph/graph-samples.ts";
import { parseBroadcast } from "@miranda/contract/schemas/broadcasts.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as Y from "yjs";

import { buildGraph, buildProject, type Cast, type Role, signUpCast } from "../testing/access.ts";
import { addNode } from "../testing/editor.ts";
import { startTestServer, type TestServer } from "../testing/test-server.ts";
import { connect, TestSocket } from "../testing/test-socket.ts";

// Random but reproducible arguments for every socket event. A failure names the event and the arguments.

type Random = () => number;

const bytes = [Buffer.alloc(0), Buffer.from([0]), Buffer.from([1, 255, 255, 255, 255, 15]), Buffer.alloc(300, 7)];
const texts = ["", "x", "__proto__", "constructor", "toString", "\u0000", "💥".repeat(50), "9".repeat(400), "../../x"];
const numbers = [0, -0, 1, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308];
const keys = ["metadata_id", "metadata_ids", "cursor", "name", "value", "kind", "x", "y", "length", "toJSON"];

const pick = <One>(random: Random, list: readonly One[]): One => list[Math.floor(random() * list.length)] as One;

function randomJson(random: Random, depth = 4): unknown {
  const kind = Math.floor(random() * (depth > 0 ? 8 : 6));
  if (kind === 0) return null;
  if (kind === 1) return random() < 0.5;
  if (kind === 2) return pick(random, numbers);
  if (kind === 3) return pick(random, texts);
  if (kind === 4) return Math.floor(random() * 20);
  if (kind === 5) return pick(random, bytes);
  const size = Math.floor(random() * 4);
  if (kind === 6) return Array.from({ length: size }, () => randomJson(random, depth - 1));
  return Object.fromEntries(Array.from({ length: size }, () => [pick(random, keys), randomJson(random, depth - 1)]));
}

/** Valid data with one part replaced, to get past the first check. */
function bent(random: Random, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Buffer.isBuffer(value) || random() < 0.2)
    return randomJson(random, 3);
  const entries = Object.entries(value);
  if (entries.length === 0) return randomJson(random, 3);
  const [name] = pick(random, entries);
  if (Array.isArray(value)) return value.map((one, at) => (String(at) === name ? bent(random, one) : one) as unknown);
  return { ...value, [name]: bent(random, (value as Record<string, unknown>)[name]) };
}

interface Place {
  graph: string;
  node: number;
  /** Of the node's shared code. */
  epoch: string;
}

const questions = ["completion", "hover", "signature", "definition", "description", "rename"];

/** Valid arguments of each event. The type demands an entry for every new event. */
const soundArguments: Record<keyof ClientEvents, (place: Place, random: Random) => unknown[]> = {
  enter_project: ({ graph }) => [graph],
  watch_project: ({ graph }) => [graph],
  renew_project_presence: ({ graph }) => [graph],
  leave_project: ({ graph }) => [graph],
  broadcast: (_place, random) => {
    const channel = random() < 0.3 ? "selection" : pick(random, broadcastChannels);
    return [channel, broadcastSamples[channel]];
  },
  code_open: ({ node, epoch }) => [node, epoch, bytes[1]],
  code_update: ({ node, epoch }) => [node, epoch, Buffer.from(Y.encodeStateAsUpdate(new Y.Doc()))],
  code_awareness: ({ node }) => [node, Buffer.from([1, 5, 1, 2, 123, 125])],
  code_close: ({ node }) => [node],
  language_open: ({ node }) => [node],
  language_ask: ({ node }, random) => [
    node,
    1,
    { kind: pick(random, questions), list: 0, item: 0, name: "x" },
    bytes[1],
  ],
  language_close: ({ node }) => [node],
};
const events = Object.keys(soundArguments) as (keyof ClientEvents)[];

/** Half of the arguments are fully random, the others valid except for one part. */
function attack(random: Random, place: Place): [keyof ClientEvents, ...unknown[]] {
  // Broadcasts are what others are sent, and the cheapest of all events.
  const event = random() < 0.4 ? "broadcast" : pick(random, events);
  const sound = soundArguments[event](place, random);
  const dice = random();
  if (dice < 0.1) return [event, ...sound];
  const wrong = Math.floor(random() * sound.length);
  if (dice < 0.6) return [event, ...sound.map((one, at) => (at === wrong ? bent(random, one) : one))];
  return [event, ...Array.from({ length: Math.floor(random() * 5) }, () => randomJson(random))];
}

let server: TestServer;
let cast: Cast;
let place: Place;
const crashes: unknown[] = [];
const onCrash = (cause: unknown) => void crashes.push(cause);

beforeAll(async () => {
  process.on("unhandledRejection", onCrash);
  process.on("uncaughtException", onCrash);
  server = await startTestServer();
  cast = await signUpCast(server);
  const graph = await buildGraph(cast, (await buildProject(cast)).id);
  const node = (await addNode(cast.owner, graph)).metadata_id;
  const owner = await connect(server, cast.owner);
  await owner.enter(graph);
  await owner.ask("code_open", node, null, null);
  const { epoch } = await owner.next<{ epoch: string }>("code_document");
  owner.close();
  place = { graph, node, epoch };
});
afterAll(async () => {
  await server.close();
  process.off("unhandledRejection", onCrash);
  process.off("uncaughtException", onCrash);
});

const refusals = new Set<string>(Object.values(errors).filter((words) => words !== errors.internal));
const inWords = (args: unknown[]) => JSON.stringify(args).slice(0, 500);

/** As many events as one connection may send without being refused. */
async function fuzz(client: TestSocket, random: Random, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const [event, ...args] = attack(random, place);
    const answer = await client.ask(event, ...args).catch(() => "no answer, and the end of the connection");
    const isSound = answer === null || refusals.has(answer);
    if (!isSound) throw new Error(`${event} ${inWords(args)} was answered with ${answer}`);
  }
}

describe("random data for every event", () => {
  const cases: [Role, number][] = [
    ["stranger", 1],
    ["viewer", 2],
    ["editor", 3],
  ];

  it.each(cases)("sent by the %s breaks nothing and reaches nobody unchecked", async (role, seed) => {
    const random = seededRandom(seed);
    const listeners = [await connect(server, cast.owner), await connect(server, cast.viewer)];
    for (const listener of listeners) expect(await listener.enter(place.graph)).toBe(null);
    for (let connection = 0; connection < 10; connection++) {
      const client = await connect(server, cast[role]);
      if (role !== "stranger") {
        expect(await client.enter(place.graph)).toBe(null);
        expect(await client.broadcast("selection", { metadata_ids: [connection] })).toBe(null);
      }
      // Every second connection has the node's code open, so that events about it get past the first check.
      if (role !== "stranger" && connection % 2 === 0) await client.ask("code_open", place.node, null, null);
      await fuzz(client, random, 40);
      expect(client.socket.connected).toBe(true);
      client.close();
    }
    for (const listener of listeners) {
      expect(await listener.ask("leave_project", place.graph)).toBe(null);
      for (const { event, data } of listener.received) {
        const broadcast = parseBroadcastEvent(event);
        if (broadcast) expect([event, parseBroadcast(broadcast.channel, data)?.data]).toEqual([event, data]);
      }
      const received = listener.received.filter(({ event }) => event.startsWith(`broadcast<${role}>`));
      // The valid ones arrived, so the others were refused for their content.
      if (role === "stranger") expect(received).toEqual([]);
      else expect(received.length).toBeGreaterThanOrEqual(10);
      expect(listener.all<{ code: string }>("notice").filter(({ code }) => code === "internal")).toEqual([]);
      listener.close();
    }
    expect(crashes).toEqual([]);
  });
});
