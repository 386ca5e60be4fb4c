import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { RawConnection } from "../raw-http.ts";

const megabyte = 1_000_000;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** Sends fields of a megabyte until the server takes no more. Returns its answer, and how many it took. */
async function sendFields(path: string, type: string, value: string, count: number, headers = {}) {
  const client = await RawConnection.open(server.url);
  client.head("POST", path, {
    host: new URL(server.url).host,
    "content-type": "multipart/form-data; boundary=x",
    "transfer-encoding": "chunked",
    ...headers,
  });
  let taken = 0;
  while (taken < count && !client.socket.destroyed && client.received === "") {
    const part = `--x\r\ncontent-disposition: form-data; name="a"\r\ncontent-type: ${type}\r\n\r\n${value}\r\n`;
    client.socket.write(`${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`);
    taken += 1;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const status = await client.status();
  client.close();
  return { status, taken };
}

describe("a form without an announced length", () => {
  it.each([
    ["text", "text/plain", "x".repeat(megabyte)],
    ["JSON", "application/json", `[${"{},".repeat(megabyte / 3 - 1)}{}]`],
  ])("is refused when all its fields of %s together are too large, and read no further", async (_what, type, value) => {
    const { status, taken } = await sendFields("/api/v3/auth", type, value, 60);
    expect(status).toBe(413);
    expect(taken).toBeLessThan(30);
  });

  it("of an import is refused as well", async () => {
    const client = await server.signUp("importer");
    const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const project = await client.postJson("/api/v3/projects/", { name: "P" });
    const { id } = project.json<{ id: string }>();
    const graph = await client.postJson("/api/v3/graphs/", { name: "G", description: "", project_id: id });
    const path = `/api/v3/graphs/${graph.json<{ id: string }>().id}/graphml`;
    const { status } = await sendFields(path, "text/plain", "x".repeat(megabyte), 300, { cookie });
    expect(status).toBe(413);
  });
});

describe("a form with an announced length", () => {
  it("is refused before it is sent when it is too large", async () => {
    const client = await RawConnection.open(server.url);
    const type = "multipart/form-data; boundary=x";
    const { host } = new URL(server.url);
    client.head("POST", "/api/v3/auth", { host, "content-type": type, "content-length": 100 * megabyte });
    expect(await client.status()).toBe(413);
    client.close();
  });

  it("is read when it is not", async () => {
    const form = new FormData();
    form.set("username", "nobody");
    form.set("password", "x".repeat(100));
    const answer = await fetch(`${server.url}/api/v3/auth`, { method: "POST", body: form });
    expect(answer.status).toBe(401);
  });
});
