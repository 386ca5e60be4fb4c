import { call as limits } from "@miranda/contract/limits.ts";
import type { CallPage } from "@miranda/contract/schemas/deployments/calls.ts";
import type { HookMade } from "@miranda/contract/schemas/deployments/deployments.ts";
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { callApi } from "../../limits.ts";
import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { buildFlow, deployFlow, deploymentOf } from "../../testing/deployments/deployments.ts";
import type { Answer } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let graph: string;
let count = 0;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  graph = await buildGraph(cast, (await buildProject(cast)).id);
  await buildFlow(cast.owner, graph);
  await deployFlow(cast.owner, graph, { name: `app-${++count}` });
});

async function hook(settings: object = {}): Promise<{ path: string; secret: string }> {
  const made = await deploymentOf(cast.owner, graph).send("POST", "/hook", settings);
  const { address, secret } = made.json<HookMade>();
  return { path: address, secret: secret ?? "" };
}

const send = (path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> =>
  server.anonymous().send("POST", path, new Uint8Array(Buffer.from(body)), { "content-type": "text/xml", ...headers });

const callsMade = async () =>
  (await cast.owner.get(`/api/v3/graphs/${graph}/deployment/calls`)).json<CallPage>().calls.map(({ inputs }) => inputs);

const atOnce = 40;

describe("the address for other programs", () => {
  it("takes JSON by field name from anybody who knows it", async () => {
    const { path } = await hook();
    const answer = await send(path, '{"rate": 3}', { "content-type": "application/json" });
    expect([answer.status, Object.keys(answer.json<object>())]).toEqual([202, ["id"]]);
    expect(await callsMade()).toEqual([{ rate: 3, mode: "fast" }]);
    const refused = await send(path, '{"rate": "3", "x": 1}');
    expect([refused.status, refused.text.split("\n").length]).toEqual([400, 2]);
    expect((await send(path, "{")).text).toBe("The body is not valid JSON.");
    expect(await callsMade()).toHaveLength(1);
  });

  it("gives the raw body to a field, whatever its type", async () => {
    const { path } = await hook({ field: "mode" });
    expect((await send(path, "safe", { "content-type": "multipart/form-data; boundary=x" })).status).toBe(202);
    expect((await send(path, "safe", { "content-type": "application/x-own" })).status).toBe(202);
    expect((await send(path, "slow")).text).toBe('mode: Mode must be one of "fast", "safe".');
    expect(await callsMade()).toEqual([
      { rate: 1, mode: "safe" },
      { rate: 1, mode: "safe" },
    ]);
  });

  it("demands the signature of the exact bytes when it is signed", async () => {
    const { path, secret } = await hook({ signed: true });
    const body = '{ "rate": 2 }\n';
    const now = Math.floor(Date.now() / 1_000);
    const sign = (text: string, key = secret, time = now) =>
      `sha256=${createHmac("sha256", key).update(`${time}.${text}`).digest("hex")}`;
    const at = (time: number | string) => ({ "x-miranda-timestamp": `${time}` });
    const good = await send(path, body, { ...at(now), "x-miranda-signature": sign(body) });
    expect(good.status).toBe(202);
    const again = await send(path, body, {
      ...at(now),
      "x-miranda-signature": sign(body).toUpperCase().replace("SHA", "sha"),
    });
    expect([again.status, again.text]).toEqual([409, "This signed call was made before."]);
    for (const time of [now - 302, now + 302]) {
      const old = await send(path, body, { ...at(time), "x-miranda-signature": sign(body, secret, time) });
      expect([old.status, old.text]).toEqual([401, expect.stringContaining("more than 5 minutes")]);
    }
    // Another time than the signed one.
    expect((await send(path, body, { ...at(now + 1), "x-miranda-signature": sign(body) })).status).toBe(401);
    const plain = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
    expect((await send(path, body, { "x-miranda-signature": plain })).status).toBe(401);
    const wrong = [
      "",
      "sha256=",
      "sha256=zz",
      sign(`${body} `),
      sign(body, "other"),
      sign(body).slice(7),
      `${sign(body)}00`,
    ];
    for (const signature of wrong) {
      const answer = await send(path, body, { ...at(now), "x-miranda-signature": signature });
      expect([signature, answer.status, answer.text]).toEqual([signature, 401, "The signature is missing or wrong."]);
    }
    expect((await send(path, body)).status).toBe(401);
    expect(await callsMade()).toHaveLength(1);
  });

  it("takes a signed call again that it could not accept before", async () => {
    const { path, secret } = await hook({ signed: true });
    const now = Math.floor(Date.now() / 1_000);
    const signature = `sha256=${createHmac("sha256", secret).update(`${now}.{"rate": 2}`).digest("hex")}`;
    const headers = { "x-miranda-timestamp": `${now}`, "x-miranda-signature": signature };
    const statuses: number[] = [];
    for (const paused of [true, false, false]) {
      await deploymentOf(cast.owner, graph).changed({ paused });
      statuses.push((await send(path, '{"rate": 2}', headers)).status);
    }
    expect(statuses).toEqual([409, 202, 409]);
    expect(await callsMade()).toHaveLength(1);
  });

  it("makes one call for one Idempotency-Key", async () => {
    const { path } = await hook();
    const key = { "idempotency-key": "a" };
    const first = (await send(path, '{"rate": 3}', key)).json();
    expect((await send(path, '{"rate": 3}', key)).json()).toEqual(first);
    expect((await send(path, '{"rate": 4}', key)).status).toBe(409);
  });

  it("is not found when it is wrong, replaced or removed", async () => {
    const { path } = await hook();
    const renewed = await hook();
    expect((await send(`/api/v3/hooks/${"x".repeat(43)}`, "{}")).status).toBe(404);
    expect((await send("/api/v3/hooks/x", "{}")).status).toBe(404);
    expect((await send(path, "{}")).status).toBe(404);
    expect((await send(renewed.path, "{}")).status).toBe(202);
    await deploymentOf(cast.owner, graph).send("DELETE", "/hook");
    expect((await send(renewed.path, "{}")).status).toBe(404);
  });

  it("refuses more than a megabyte, and too many calls", async () => {
    const { path } = await hook();
    expect((await send(path, Buffer.alloc(limits.bodyMax + 1, "x"))).status).toBe(413);
    expect(await callsMade()).toEqual([]);
    // Many at once: on a slow machine the rate would recover between calls that wait for each other.
    const untilRefused = async (): Promise<Answer | undefined> => {
      for (let sent = 0; sent < (callApi.callsPerHook * 4) / atOnce; sent++) {
        const answer = await send(path, "?");
        if (answer.status === 429) return answer;
      }
      return undefined;
    };
    const refused = (await Promise.all(Array.from({ length: atOnce }, untilRefused))).find((answer) => answer);
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});
