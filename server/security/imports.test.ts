import { imports as limits } from "../limits.ts";
import type { ImportReport } from "@miranda/contract/schemas/graphs.ts";
import { once } from "node:events";
import { request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";

import { readGraph } from "../testing/editor.ts";
import { startTestServer, type TestAccount, type TestServer } from "../testing/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** A file that counts as large, with few nodes so that it does not take long. */
const largeFile = `<graphml><key id="t" for="node" attr.name="note" attr.type="string"/><graph edgedefault="directed">${Array.from(
  { length: 1_500 },
  (_, node) => `<node id="n${node}"><data key="t">${"lorem ipsum ".repeat(300)}</data></node>`,
).join("")}</graph></graphml>`;
const smallFile = '<graphml><graph><node id="a"/><node id="b"/></graph></graphml>';

async function newGraph(client: TestAccount): Promise<string> {
  const { id } = (await client.post("/api/v3/projects", { name: "Imports", description: "" })).json<{ id: string }>();
  const graph = await client.post("/api/v3/graphs", { name: "Imported", description: "", project_id: id });
  return graph.json<{ id: string }>().id;
}

function send(client: TestAccount, graph: string, file: string) {
  const form = new FormData();
  form.append("body", new File([file], "flow.graphml"));
  return client.send("POST", `/api/v3/graphs/${graph}/graphml`, form);
}

const countOf = async (client: TestAccount, graph: string) =>
  Object.keys((await readGraph(client, graph)).nodes).length;

it("imports another account's small file before one account's second large file", async () => {
  expect(largeFile.length).toBeGreaterThan(limits.largeFrom);
  const greedy = await server.signUp("greedy");
  const modest = await server.signUp("modest");
  const [first, second] = [await newGraph(greedy), await newGraph(greedy)];
  const own = await newGraph(modest);
  const order: string[] = [];
  const note = async (name: string, answer: ReturnType<typeof send>) => {
    expect([name, (await answer).status]).toEqual([name, 200]);
    order.push(name);
  };
  const large = [first, second, first].map((graph, at) => note(`large ${at}`, send(greedy, graph, largeFile)));
  await note("small", send(modest, own, smallFile));
  expect(order.filter((name) => name !== "small").length).toBeLessThan(2);
  await Promise.all(large);
  expect(await countOf(modest, own)).toBe(2);
  expect(await countOf(greedy, first)).toBe(3_000);
});

it("refuses files beyond an account's share before reading them, and changes nothing", async () => {
  const greedy = await server.signUp("beyond");
  const modest = await server.signUp("within");
  const graph = await newGraph(greedy);
  const cookie = [...greedy.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  // A sender that announces a large body and then sends nothing.
  const headers = {
    cookie,
    expect: "100-continue",
    "content-type": "application/x-www-form-urlencoded",
    "content-length": limits.bytesPerAccount,
  };
  const stalled = request(`${server.url}/api/v3/graphs/${graph}/graphml`, { method: "POST", headers });
  stalled.on("error", () => undefined);
  stalled.flushHeaders();
  await once(stalled, "continue");
  // Once a later call is answered, the server has authenticated the sender and given them a place.
  expect((await greedy.get("/api/v3/auth")).status).toBe(200);
  const refused = await send(greedy, graph, smallFile);
  expect([refused.status, refused.text]).toEqual([
    429,
    "You are importing several files already. Wait until one of them is done.",
  ]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await send(modest, await newGraph(modest), smallFile)).status).toBe(200);
  stalled.destroy();
  // A sender that disconnects returns its share.
  await expect.poll(async () => (await send(greedy, graph, smallFile)).status).toBe(200);
});

it("refuses an oversized body by its length alone", async () => {
  const person = await server.signUp("length");
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = { cookie, "content-type": "multipart/form-data; boundary=x", "content-length": 10 ** 12 };
  const sent = request(`${server.url}/api/v3/graphs/${await newGraph(person)}/graphml`, { method: "POST", headers });
  sent.flushHeaders();
  const [response] = (await once(sent, "response")) as [{ statusCode: number }];
  expect(response.statusCode).toBe(413);
  sent.destroy();
});

it("gives the place of a disconnected sender to the next, and finishes what had begun", async () => {
  const person = await server.signUp("leaver");
  const graph = await newGraph(person);
  const body = new URLSearchParams({ body: largeFile }).toString();
  const headers = {
    cookie: [...person.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
    "content-type": "application/x-www-form-urlencoded",
    "content-length": body.length,
  };
  const leavers = Array.from({ length: limits.openPerAccount }, () => {
    const sent = request(`${server.url}/api/v3/graphs/${graph}/graphml`, { method: "POST", headers });
    sent.on("error", () => undefined);
    sent.end(body);
    return sent;
  });
  await Promise.all(leavers.map((sent) => once(sent, "finish")));
  for (const sent of leavers) sent.destroy();
  await expect.poll(async () => (await send(person, graph, smallFile)).status).toBe(200);
  const answer = await send(person, graph, smallFile);
  expect(answer.json<ImportReport>().nodes).toBe(2);
});
