import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { buildFlow, deployFlow, deploymentOf } from "../../testing/deployments/deployments.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { serveAsProposed } from "../../testing/deployments/served.ts";
import { giveToken, Workbench } from "../../testing/workbench.ts";

// A PNG of one pixel.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

let server: TestServer;
let cast: Cast;
let graph: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  const project = await buildProject(cast);
  graph = await buildGraph(cast, project.id);
  await buildFlow(cast.owner, graph);
  await deployFlow(cast.owner, graph, {
    name: "tides",
    title: "Tide tables",
    description: "Of the sea.",
    queue_max: 0,
  });
});
afterAll(() => server.close());

async function connect(token: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  return client;
}

describe("tools", () => {
  it("are the deployments that the account may use, with typed arguments", async () => {
    const client = await connect(await giveToken(cast.owner));
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([
      {
        name: "tides",
        title: "Tide tables",
        inputSchema: {
          type: "object",
          properties: { rate: { type: "number", maximum: 9 }, mode: { enum: ["fast", "safe"] } },
        },
        annotations: { title: "Tide tables" },
      },
    ]);
    expect(tools[0]?.description).toContain("Of the sea.");
    await client.close();
  });

  it("are none for somebody who may use nothing, and calling one is refused", async () => {
    const client = await connect(await giveToken(cast.stranger));
    expect((await client.listTools()).tools).toEqual([]);
    await expect(client.callTool({ name: "tides", arguments: {} })).rejects.toThrow("There is no tool tides.");
    await client.close();
  });

  it("are paged", async () => {
    const project = await buildProject(cast, "Many");
    const many = await buildGraph(cast, project.id, "Many");
    await buildFlow(cast.owner, many);
    const { id } = await deployFlow(cast.owner, many, { name: "many-00" });
    await sql`insert into graphs (id, project_id, name)
      select gen_random_uuid(), ${project.id}, 'copy ' || n from generate_series(1, 60) as n`.execute(server.db);
    await sql`insert into deployments (id, graph_id, name, owner_id, title, production_id)
      select gen_random_uuid(), graphs.id, 'many-' || lpad(substr(graphs.name, 6), 2, '0'), one.owner_id, one.title,
        one.production_id
      from graphs, deployments as one
      where graphs.project_id = ${project.id} and graphs.name like 'copy %' and one.id = ${id}`.execute(server.db);
    const client = await connect(await giveToken(cast.owner));
    const first = await client.listTools();
    const second = await client.listTools({ cursor: first.nextCursor });
    expect([first.tools.length, second.tools.length, second.nextCursor]).toEqual([50, 12, undefined]);
    expect(new Set([...first.tools, ...second.tools].map(({ name }) => name)).size).toBe(62);
    for (const cursor of ["\u0000", "%", "'"]) expect((await client.listTools({ cursor })).tools).toHaveLength(50);
    expect((await client.listTools({ cursor: "z".repeat(100_000) })).tools).toEqual([]);
    await client.close();
  });
});

describe("a call of a tool", () => {
  it("with wrong arguments is answered with every problem", async () => {
    const client = await connect(await giveToken(cast.owner));
    const result = await client.callTool({ name: "tides", arguments: { rate: "2", colour: 1 } });
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result.content)).toContain("Rate must be a number from 0 to 9, not text");
    expect(JSON.stringify(result.content)).toContain("colour: There is no such field.");
    await client.close();
  });
});

const draw = `from miranda import *

class Draw(Node):
    word = Field("sea", control=Text())
    slow = Field(False, control=Toggle())
    sheet = Field(None, control=File())
    text = Transmitter()
    picture = Transmitter()
    def run(self):
        import base64, time
        if self.slow:
            progress(1, 2, "Lines")
            time.sleep(2.5)
        if self.word == "fail":
            raise ValueError("secret path")
        self.text.send(self.word.upper() + (self.sheet.read_text() if self.sheet else ""))
        self.picture.send(base64.b64decode("${pixel}"))
`;

describe("a tool of a real workflow", () => {
  let bench: Workbench;
  let client: Client;
  beforeAll(async () => {
    bench = await Workbench.open(server);
    await bench.node(draw, "Draw");
    await serveAsProposed(bench, { name: "draw", title: "Draw", access: "accounts" });
    await bench.owner.patch(`/api/v3/projects/${bench.projectId}`, { visibility: "private" });
    client = await connect(await giveToken(cast.stranger));
  });
  afterAll(async () => {
    await client.close();
    bench.close();
  });

  it("answers with text, a picture and values", async () => {
    const sheet = { name: "a.txt", content: btoa(" and a file") };
    const result = await client.callTool({ name: "draw", arguments: { word: "tide", sheet } });
    expect(result.isError).not.toBe(true);
    expect(result.structuredContent).toMatchObject({ text: "TIDE and a file" });
    expect(JSON.stringify(result.content)).toContain("TIDE and a file");
    expect(result.content).toContainEqual({ type: "image", data: pixel, mimeType: "image/png" });
  });

  it("tells of its progress, and a failure is told without code", async () => {
    const told: string[] = [];
    const onprogress = ({ message }: { message?: string | undefined }) => void told.push(message ?? "");
    const slow = await client.callTool({ name: "draw", arguments: { slow: true } }, undefined, { onprogress });
    expect(slow.structuredContent).toMatchObject({ text: "SEA" });
    expect(told).toContain("Draw (1 of 2)");
    const failed = await client.callTool({ name: "draw", arguments: { word: "fail" } });
    expect(failed).toMatchObject({ isError: true, content: [{ type: "text", text: "A step failed: Draw." }] });
  });

  it("is refused with a message when the app is paused, and is no longer listed", async () => {
    await deploymentOf(bench.owner, bench.graphId).changed({ paused: true });
    const result = await client.callTool({ name: "draw", arguments: {} });
    expect(result).toMatchObject({ isError: true, content: [{ text: "This app is paused." }] });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([]);
  });
});

describe("the endpoint", () => {
  const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

  it("asks for a token, and takes no cookie", async () => {
    for (const client of [cast.owner, cast.anonymous]) {
      const answer = await client.send("POST", "/mcp", list, json);
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="Miranda"']);
    }
    const wrong = await cast.anonymous.send("POST", "/mcp", list, { ...json, authorization: "Bearer mdt_wrong" });
    expect(wrong.status).toBe(401);
  });

  it("reads nothing of what strangers send, and no endless lists of anybody", async () => {
    expect((await cast.anonymous.send("POST", "/mcp", "{", json)).status).toBe(401);
    const headers = { ...json, authorization: `Bearer ${await giveToken(cast.owner)}` };
    const lists = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "ping",
      params: { a: Array.from({ length: 500_000 }, () => []) },
    });
    expect((await cast.anonymous.send("POST", "/mcp", lists, headers)).status).toBe(413);
    const file = { name: "tides", arguments: { data: { name: "a", content: "A".repeat(2_000_000) }, none: 1 } };
    const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: file });
    expect((await cast.anonymous.send("POST", "/mcp", call, headers)).text).toContain("There is no such field");
    const form = await cast.anonymous.send("POST", "/mcp", "a=1", {
      ...headers,
      "content-type": "application/x-www-form-urlencoded",
    });
    expect(form.status).toBe(415);
  });

  it("shows only one tool to a token of a deployment", async () => {
    const token = await deploymentOf(cast.owner, graph).token();
    const client = await connect(token);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["tides"]);
    await client.close();
  });

  it.each([
    ["nothing to listen to", "GET", undefined, 405],
    ["a body that is no message", "POST", "{}", 400],
    ["half a body", "POST", "{", 400],
    [
      "too many messages",
      "POST",
      JSON.stringify(Array.from({ length: 50 }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }))),
      400,
    ],
  ] as const)("refuses %s", async (_what, method, body, status) => {
    const headers = { ...json, authorization: `Bearer ${await giveToken(cast.owner)}` };
    const answer = await cast.anonymous.send(method, "/mcp", body, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });
});
