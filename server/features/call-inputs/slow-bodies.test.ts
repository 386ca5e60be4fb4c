import { connect, type Socket } from "node:net";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { callApi } from "../../limits.ts";
import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { buildFlow, deployFlow } from "../../testing/deployments/deployments.ts";
import { callsOf } from "../../testing/deployments/served.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
const name = "slowly";
beforeAll(async () => {
  server = await startTestServer({ requestTimeout: 1_000 });
  cast = await signUpCast(server);
  const graph = await buildGraph(cast, (await buildProject(cast)).id);
  await buildFlow(cast.owner, graph);
  await deployFlow(cast.owner, graph, { name, access: "accounts" });
});
afterAll(() => server.close());

const own = () => callsOf(cast.stranger, name);
const form = '--x\r\ncontent-disposition: form-data; name="data"; filename="a.csv"\r\n\r\n1,2,3\r\n';
const bodies = {
  form: ["multipart/form-data; boundary=x", form],
  json: ["application/json", '{"rate": '],
} as const;

/** Sends the beginning of a body, and then nothing. Resolves with everything the server said before it cut the connection. */
async function stall(kind: keyof typeof bodies): Promise<{ ended: Promise<string> }> {
  const [type, begun] = bodies[kind];
  const cookie = [...cast.stranger.cookies].map(([key, value]) => `${key}=${value}`).join("; ");
  const { hostname, port, host } = new URL(server.url);
  const socket: Socket = connect({ host: hostname, port: Number(port) });
  const ended = new Promise<string>((resolve) => {
    let said = "";
    socket.on("data", (part) => (said += part.toString()));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(said));
  });
  const head = [
    `POST ${own().at} HTTP/1.1`,
    `host: ${host}`,
    `cookie: ${cookie}`,
    `content-type: ${type}`,
    "content-length: 5000",
  ];
  await new Promise<void>((resolve) => socket.write(`${head.join("\r\n")}\r\n\r\n${begun}`, () => resolve()));
  return { ended };
}

async function countStored(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from calls)::integer + (select count(*) from call_files)::integer as count`.execute(
    server.db,
  );
  return rows[0]?.count ?? -1;
}

describe("a body that comes too slowly", () => {
  it.each(["form", "json"] as const)("ends its connection, and nothing is stored: %s", async (kind) => {
    const { ended } = await stall(kind);
    expect((await ended).split("\r\n")[0]).toMatch(/^(?:HTTP\/1\.1 408 |$)/);
    expect(await countStored()).toBe(0);
  });

  it("takes no place of its caller once its connection has ended", async () => {
    const stalled = await Promise.all(Array.from({ length: callApi.formsPerCaller }, () => stall("form")));
    const sent = () => {
      const whole = new FormData();
      whole.set("data", new File(["1,2"], "a.csv"));
      return own().sendForm(whole);
    };
    await Promise.all(stalled.map(({ ended }) => ended));
    await expect.poll(async () => (await sent()).status).toBe(202);
  });
});
