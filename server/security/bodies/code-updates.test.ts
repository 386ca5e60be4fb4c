import * as Y from "yjs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode } from "../../testing/editor.ts";
import { SharedCode } from "../../testing/shared-code.ts";
import type { TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { until } from "../../testing/test-socket.ts";

let server: TestServer;
let cast: Cast;
let graph: string;
let node: number;
let opening: SharedCode[] = [];
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  const project = await buildProject(cast);
  graph = await buildGraph(cast, project.id);
  node = (await addNode(cast.owner, graph, "Train")).metadata_id;
  await cast.owner.put(`/api/v3/objects/${node}/api`, { source_code: "one\ntwo\n" });
});
afterEach(() => {
  for (const { socket } of opening) socket?.close();
  opening = [];
});

async function opened(client: TestClient): Promise<SharedCode> {
  const code = await SharedCode.opened(server, client, graph, node);
  opening.push(code);
  return code;
}

describe("code that is sent in a bad way", () => {
  it("refuses text that would be too long, by socket and by call", async () => {
    const ada = await opened(cast.owner);
    const huge = new Y.Doc();
    huge.getText("code").insert(0, "x".repeat(1_000_001));
    const update = Buffer.from(Y.encodeStateAsUpdate(huge));
    expect(await ada.send(update)).toBe("That message is too large.");
    const body = { epoch: ada.epoch ?? "", update: update.toString("base64") };
    const answer = await cast.owner.post(`/api/v3/objects/${node}/draft`, body);
    expect([answer.status, answer.text]).toEqual([413, "Code can have at most 1,000,000 characters."]);
    expect((await opened(cast.editor)).text).toBe("one\ntwo\n");
  });

  it("refuses what is no text, which nobody would see", async () => {
    const ada = await opened(cast.owner);
    const others: ((doc: Y.Doc) => void)[] = [
      (doc) => doc.getMap("hidden").set("a", "b".repeat(1_000)),
      (doc) => doc.getText("other").insert(0, "b".repeat(1_000)),
      (doc) => doc.getText("code").insertEmbed(0, { a: "b" }),
    ];
    for (const change of others) {
      const doc = new Y.Doc();
      change(doc);
      expect(await ada.send(Y.encodeStateAsUpdate(doc))).toBe("The request could not be understood.");
    }
    expect((await opened(cast.editor)).text).toBe("one\ntwo\n");
  });

  it("refuses a line more than fits, as often as it comes, and takes it when another one was deleted", async () => {
    const ada = await opened(cast.owner);
    const paste = new Y.Doc();
    Y.applyUpdate(paste, Y.encodeStateAsUpdate(ada.doc));
    const before = Y.encodeStateVector(paste);
    paste.getText("code").insert(0, "x".repeat(999_980));
    const update = Buffer.from(Y.encodeStateAsUpdate(paste, before)).toString("base64");
    const answer = await cast.owner.post(`/api/v3/objects/${node}/draft`, { epoch: ada.epoch ?? "", update });
    expect(answer.status).toBe(200);
    await until(() => ada.text.length === 999_988, "the paste did not come");
    const more = new Y.Doc();
    Y.applyUpdate(more, Y.encodeStateAsUpdate(ada.doc));
    const vector = Y.encodeStateVector(more);
    more.getText("code").insert(0, "a line of 30 characters, or so");
    const line = Y.encodeStateAsUpdate(more, vector);
    const refusals = await Promise.all(Array.from({ length: 100 }, () => ada.send(line)));
    expect(new Set(refusals)).toEqual(new Set(["Code can have at most 1,000,000 characters."]));
    ada.refusals = [];
    ada.doc.getText("code").delete(0, 100);
    ada.type(0, "a line of 30 characters, or so");
    const ben = await opened(cast.editor);
    await until(() => ben.text === ada.text, "the line did not come");
    expect([ada.refusals, ben.text.length]).toEqual([[], 999_988 - 100 + 30]);
  });

  it("sends a large paste by a call to everybody", async () => {
    const [ada, ben] = [await opened(cast.owner), await opened(cast.editor)];
    const copy = new Y.Doc();
    Y.applyUpdate(copy, Y.encodeStateAsUpdate(ada.doc));
    const before = Y.encodeStateVector(copy);
    copy.getText("code").insert(0, "x".repeat(600_000));
    const update = Buffer.from(Y.encodeStateAsUpdate(copy, before)).toString("base64");
    const answer = await cast.owner.post(`/api/v3/objects/${node}/draft`, { epoch: ada.epoch ?? "", update });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    await until(() => ben.text.length === 600_008 && ada.text === ben.text, "the paste did not come");
  });

  it("refuses an invalid update, one of another document, and one with missing parts, and changes nothing", async () => {
    const ada = await opened(cast.owner);
    expect(await ada.send(Buffer.from([255, 255, 255]))).toBe("The request could not be understood.");
    expect(await ada.socket?.ask("code_update", node, crypto.randomUUID(), Buffer.from([0, 0]))).toContain(
      "out of step",
    );
    expect(await ada.socket?.ask("code_update", node, ada.epoch, "text")).toBe("The request could not be understood.");
    expect(await ada.socket?.ask("code_awareness", node, Buffer.alloc(9_000))).toBe(
      "The request could not be understood.",
    );
    const far = new Y.Doc();
    far.getText("code").insert(0, "a");
    const vector = Y.encodeStateVector(far);
    far.getText("code").insert(1, "b");
    expect(await ada.send(Y.encodeStateAsUpdate(far, vector))).toContain("out of step");
    for (const given of ["x", -1, null, {}]) expect(await ada.socket?.ask("code_open", given)).toBe("Node not found.");
    expect((await opened(cast.editor)).text).toBe("one\ntwo\n");
  });

  it("refuses an update that claims 33 million parts, without allocating memory", async () => {
    const ada = await opened(cast.owner);
    const bomb = Buffer.from([1, 255, 255, 255, 15, 1, 0, 0]);
    const began = performance.now();
    const words = await Promise.all(Array.from({ length: 30 }, () => ada.send(bomb)));
    expect(new Set(words)).toEqual(new Set(["The request could not be understood."]));
    expect(performance.now() - began).toBeLessThan(3_000);
    expect((await opened(cast.editor)).text).toBe("one\ntwo\n");
  });

  it("refuses keystrokes in a locked node", async () => {
    const ada = await opened(cast.owner);
    await cast.owner.patch(`/api/v3/objects/${node}`, { locked: true });
    ada.type(0, "x");
    await until(() => ada.refusals.length > 0, "was not refused");
    expect(ada.refusals).toEqual(["This node is locked."]);
  });
});
