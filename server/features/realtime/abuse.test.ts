import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { connect, type TestSocket, until } from "../../testing/test-socket.ts";

let server: TestServer;
let cast: Cast;
let abuser: TestSocket;
let victim: TestSocket;
let listener: TestSocket;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  const graph = await buildGraph(cast, (await buildProject(cast)).id);
  [abuser, victim, listener] = [
    await connect(server, cast.editor),
    await connect(server, cast.owner),
    await connect(server, cast.viewer),
  ];
  for (const socket of [abuser, victim, listener]) await socket.enter(graph);
});
afterEach(() => {
  for (const socket of [abuser, victim, listener]) socket.close();
});

const select = (id: number) => ({ metadata_ids: [id] });
const from = (name: string) => `broadcast<${name}>(selection)`;

/** Messages of others still arrive, in order. */
async function othersGoOn(): Promise<void> {
  const before = listener.all(from("owner")).length;
  for (let at = 0; at < 20; at++) expect(await victim.broadcast("selection", select(at))).toBe(null);
  await until(() => listener.all(from("owner")).length === before + 20, "the others' messages did not all arrive");
  expect(listener.all(from("owner")).slice(before)).toEqual(Array.from({ length: 20 }, (_, at) => select(at)));
}

describe("limits of one client", () => {
  const refusals: [string, [string, ...unknown[]], string][] = [
    ["a channel nobody knows", ["broadcast", "dance", {}], "There is no such channel."],
    ["a channel that is no text", ["broadcast", { toString: "x" }, {}], "There is no such channel."],
    ["a channel of the prototype", ["broadcast", "__proto__", {}], "There is no such channel."],
    ["an event nobody knows", ["update[GRAPH]", { reload: true }], "There is no such event."],
    ["an event of the server's", ["left_project", {}], "There is no such event."],
    ["1 MB", ["broadcast", "selection", "x".repeat(1_000_000)], "That message is too large."],
    ["1 MB of bytes", ["broadcast", "selection", Buffer.alloc(300_000)], "That message is too large."],
  ];
  it.each(refusals)("refuses %s", async (_what, [event, ...args], words) => {
    expect(await abuser.ask(event, ...args)).toBe(words);
    expect(await abuser.broadcast("selection", select(1))).toBe(null);
    await expect.poll(() => victim.all(from("editor")).length).toBe(1);
    await othersGoOn();
  });

  it("uses the account's name for a broadcast in another person's name", async () => {
    await abuser.ask("broadcast", "selection", { ...select(1), sender: "owner", username: "owner" });
    await abuser.ask("broadcast<owner>(selection)", select(2));
    expect(listener.all(from("owner"))).toEqual([]);
    await expect.poll(() => listener.all(from("editor")).length).toBe(1);
  });

  it("refuses a frame of 3 MB and closes the connection", async () => {
    abuser.socket.emit("broadcast", "selection", "x".repeat(3_000_000));
    await until(() => abuser.socket.disconnected, "still connected");
    await othersGoOn();
    expect(listener.all(from("editor"))).toEqual([]);
  });

  it("accepts some of 1,000 messages at once and refuses the others with words, and nobody else notices", async () => {
    const words = await Promise.all(
      Array.from({ length: 1_000 }, (_, at) => abuser.broadcast("selection", select(at))),
    );
    const accepted = words.filter((word) => word === null).length;
    expect(accepted).toBeGreaterThanOrEqual(300);
    expect(new Set(words)).toEqual(new Set([null, "That is too many messages. Slow down."]));
    await until(() => listener.all(from("editor")).length === accepted, "accepted messages were lost");
    expect(abuser.socket.connected).toBe(true);
    await othersGoOn();
  });

  it("closes the connection of a client that goes on after refusals, with a notice", async () => {
    const flood = setInterval(() => {
      for (let at = 0; at < 100; at++) abuser.socket.emit("broadcast", "selection", select(at));
    }, 20);
    try {
      await othersGoOn();
      await until(() => abuser.socket.disconnected, "still connected");
    } finally {
      clearInterval(flood);
    }
    expect(abuser.all("notice")).toContainEqual({
      code: "too_many_messages",
      message: "That is too many messages. Slow down.",
    });
    expect(listener.all(from("editor")).length).toBeLessThan(1_500);
    await othersGoOn();
  });

  it("refuses a flood from many connections that each keep their own limit", async () => {
    const many = await Promise.all(Array.from({ length: 40 }, () => connect(server, cast.editor)));
    const words = await Promise.all(many.flatMap((socket) => Array.from({ length: 39 }, () => socket.ask("dance"))));
    const accepted = words.filter((word) => word === "There is no such event.").length;
    expect(accepted).toBeGreaterThanOrEqual(300);
    expect(accepted).toBeLessThan(1_400);
    expect(new Set(words)).toEqual(new Set(["There is no such event.", "That is too many messages. Slow down."]));
    await othersGoOn();
    for (const socket of many) socket.close();
  });

  it("refuses entering again and again", async () => {
    const words = await Promise.all(
      Array.from({ length: 100 }, () => abuser.enter("0190a000-0000-7000-8000-000000000000")),
    );
    expect(words.filter((word) => word === "Workflow not found.").length).toBeLessThan(80);
    expect(words).toContain("That is too many messages. Slow down.");
    await othersGoOn();
  });

  it("ignores an invalid callback, and refuses missing arguments", async () => {
    abuser.socket.emit("broadcast");
    abuser.socket.emit("enter_project", null, 5, "not a function");
    abuser.socket.emit("broadcast", "selection");
    await abuser.next("notice");
    await othersGoOn();
    expect(abuser.socket.connected).toBe(true);
  });
});
