import { socket as socketLimits } from "@miranda/contract/limits.ts";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readConfig } from "../platform/settings/config.ts";
import { password, startTestServer, type TestServer } from "../testing/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

interface RawResponse {
  status: number;
  text: string;
}

/** A raw request: `fetch` would set the right Host header. */
function ask(at: TestServer, path: string, headers: Record<string, string>, method = "GET"): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(at.url + path, { method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on("error", reject);
    // An accepted socket answers with an upgrade.
    sent.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, text: "" });
    });
    sent.end();
  });
}

const polling = `${socketLimits.path}/?EIO=4&transport=polling`;

describe("a foreign host name that points at this server", () => {
  const rebound = { host: "evil.example:4600", origin: "http://evil.example:4600" };

  it("is refused for every call, page and document, with words that name the setting", async () => {
    const client = await server.signUp("rebound");
    const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    for (const [method, path] of [
      ["GET", "/api/v3/auth"],
      ["PATCH", "/api/v3/auth/account"],
      ["POST", "/api/v3/auth/register"],
      ["GET", "/%61pi/v3/auth"],
      ["GET", "/designer"],
      ["GET", "/api/docs/json"],
      ["GET", "/elsewhere"],
    ] as const) {
      const { status, text } = await ask(server, path, { ...rebound, cookie }, method);
      expect([method, path, status]).toEqual([method, path, 421]);
      expect(text).toContain("set PUBLIC_URL");
      expect(text).toContain("MIRANDA_HOSTS");
    }
  });

  it("opens no socket, by polling or by upgrade", async () => {
    const refused = await ask(server, polling, rebound);
    expect([refused.status, refused.text.includes("not one of Miranda's host names")]).toEqual([403, true]);
    const upgrade = {
      ...rebound,
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": Buffer.alloc(16).toString("base64"),
    };
    const address = `${socketLimits.path}/?EIO=4&transport=websocket`;
    // Engine.IO answers a refused upgrade with 400 and its reason.
    expect((await ask(server, address, upgrade)).status).toBe(400);
    const own = new URL(server.url).host;
    expect((await ask(server, address, { ...upgrade, host: own, origin: server.url })).status).toBe(101);
  });

  it("is refused in any spelling, and so is an invalid name", async () => {
    for (const host of [
      "evil.example",
      "127.0.0.1.evil.example",
      "localhost.evil.example",
      "localhost@evil.example",
      "evil.example#localhost",
      "[evil.example]",
      "127.0.0.1/evil",
      "[::1]evil",
      "1",
    ])
      expect([host, (await ask(server, "/api/v3/auth", { host })).status]).toEqual([host, 421]);
  });
});

describe("this server's own names", () => {
  const status = async (at: TestServer, host: string) => (await ask(at, "/api/v3/projects", { host })).status;

  it("are loopback names at any port, and IP addresses, which nobody can redirect", async () => {
    for (const host of [
      "localhost",
      "LOCALHOST:4700",
      "localhost.:4600",
      "127.0.0.1:1",
      "127.9.9.9",
      "[::1]:4600",
      "10.0.0.7:4600",
      "[2001:db8::7]:4600",
    ])
      expect([host, await status(server, host)]).toEqual([host, 401]);
  });

  it("are those of PUBLIC_URL and MIRANDA_HOSTS; with PUBLIC_URL other addresses are refused", async () => {
    const { hosts } = readConfig({ MIRANDA_HOSTS: "miranda.lan, 10.0.0.8:4600" });
    const own = await startTestServer({ publicUrl: "https://miranda.example", hosts, host: "inside.example" });
    try {
      for (const host of ["miranda.example", "miranda.lan:8080", "10.0.0.8", "inside.example:4600", "localhost:1"])
        expect([host, await status(own, host)]).toEqual([host, 401]);
      for (const host of ["10.0.0.7", "other.example", "miranda.example.evil.example"])
        expect([host, await status(own, host)]).toEqual([host, 421]);
      const fromPage = { host: "miranda.lan", origin: "http://evil.example" };
      expect((await ask(own, "/api/v3/auth", fromPage, "DELETE")).status).toBe(403);
    } finally {
      await own.close();
    }
  });

  it("do not matter for load balancers and agents", async () => {
    const host = "miranda";
    expect((await ask(server, "/healthz", { host })).status).toBe(200);
    expect((await ask(server, "/readyz", { host })).status).toBe(200);
    const agent = await ask(server, "/api/runner/0190a000-0000-7000-8000-000000000000/graph", { host });
    expect([agent.status, agent.text]).toEqual([401, "This token is not the job's."]);
  });

  it("are checked when the server starts", () => {
    expect(() => readConfig({ MIRANDA_HOSTS: "https://miranda.lan/" })).toThrow("MIRANDA_HOSTS");
  });
});

describe("guessing passwords", () => {
  let own: TestServer;
  beforeAll(async () => {
    own = await startTestServer({ trustProxy: true });
  });
  afterAll(() => own.close());

  async function logIn(username: string, given: string, address: string): Promise<number> {
    const client = own.anonymous();
    client.headers = { "x-forwarded-for": address };
    return (await client.post("/api/v3/auth", { username, password: given })).status;
  }

  async function guess(username: string, times: number, address: string): Promise<number[]> {
    const answers = [];
    for (let i = 0; i < times; i++) answers.push(await logIn(username, `wrong password ${i}`, address));
    return answers;
  }

  it("with a name made of an account and an address does not lock that account out", async () => {
    await own.signUp("editor");
    expect(await guess("editor@203.0.113.1", 11, "203.0.113.1")).toEqual([...Array<number>(10).fill(401), 429]);
    await guess("@203.0.113.1", 10, "203.0.113.1");
    expect(await logIn("editor", password, "203.0.113.1")).toBe(200);
  });

  it("by username and by e-mail, in any spelling, shares one counter", async () => {
    await own.signUp("double");
    expect(await guess("double", 5, "203.0.113.2")).not.toContain(429);
    expect(await guess("DOUBLE@example.org", 6, "203.0.113.2")).toEqual([...Array<number>(5).fill(401), 429]);
    expect(await logIn("Double", password, "203.0.113.2")).toBe(429);
  });

  it("from many addresses is stopped, except where the owner has signed in before", async () => {
    await own.signUp("wanted");
    expect(await logIn("wanted", password, "198.51.100.1")).toBe(200);
    for (let i = 0; i < 5; i++) expect(await guess("wanted", 10, `203.0.113.${100 + i}`)).not.toContain(429);
    expect(await logIn("wanted", password, "203.0.113.200")).toBe(429);
    expect(await logIn("wanted", password, "198.51.100.1")).toBe(200);
    // A known address may guess no more often than another.
    expect(await guess("wanted", 11, "198.51.100.1")).toEqual([...Array<number>(10).fill(401), 429]);
  });

  it("answers when to try again, to programs too", async () => {
    await own.signUp("patient");
    await guess("patient", 10, "203.0.113.3");
    const client = own.anonymous();
    client.headers = { "x-forwarded-for": "203.0.113.3" };
    const refused = await client.post("/api/v3/auth", { username: "patient", password });
    expect(refused.text).toMatch(/^Too many attempts\. Try again in \d+ minutes?\.$/);
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(900);
  });
});
