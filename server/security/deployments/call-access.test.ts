import type { Call, CallPage } from "@miranda/contract/schemas/deployments/calls.ts";
import type { Deployment, HookMade } from "@miranda/contract/schemas/deployments/deployments.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { hashToken, newId } from "../../platform/crypto.ts";
import { buildGraph, buildProject, type Cast, type Role, signUpCast } from "../../testing/access.ts";
import { accessCells, statusInTable } from "../../testing/deployments/access-table.ts";
import { buildFlow, deployFlow, deploymentOf } from "../../testing/deployments/deployments.ts";
import { callsOf } from "../../testing/deployments/served.ts";
import { TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";
import { giveToken } from "../../testing/workbench.ts";

// Every cell of docs/spec/access-deployments.tsv about calls, and what somebody might try besides.

let server: TestServer;
let cast: Cast;
let project: string;
let graph: string;
let app: Deployment;
let count = 0;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  project = (await buildProject(cast)).id;
  graph = await buildGraph(cast, project);
  await buildFlow(cast.owner, graph);
  app = await deployFlow(cast.owner, graph, { name: `app-${++count}` });
});

/** A call that was made earlier. No session serves it, so it stays as it is. */
async function storeCall(
  by: TestAccount | null,
  state: "done" | "running" = "done",
  more: object = {},
): Promise<string> {
  const id = newId();
  const { id: release_id } = app.production ?? { id: "" };
  const ended_at = state === "done" ? new Date() : null;
  await server.db
    .insertInto("calls")
    .values({
      ...{ id, deployment_id: app.id, release_id, via: "explorer", account_id: by?.account.id ?? null, state },
      ...{ inputs: JSON.stringify({ rate: 4 }), ended_at, began_at: new Date(), ...more },
    })
    .execute();
  return id;
}

const signedIn = (client: TestClient, role: Role): TestAccount | null =>
  role === "anonymous" ? null : (client as TestAccount);
const at = (id: string, path = "") => `/api/v3/deployments/${app.name}/runs/${id}${path}`;

/** All of these must be answered alike. */
async function alike(...sent: Promise<{ status: number }>[]): Promise<number> {
  const statuses = [...new Set((await Promise.all(sent)).map(({ status }) => statusInTable(status)))];
  expect(statuses).toHaveLength(1);
  return statuses[0] ?? 0;
}

async function tokenOf(client: TestClient, role: Role): Promise<string> {
  const account = signedIn(client, role);
  return account ? giveToken(account) : "";
}

/** Calls a tool, or lists them, and returns the answer's status. A tool that is not there is 404. */
async function askMcp(token: string, method: string, params: object): Promise<number> {
  const answer = await new TestClient(server.url).send(
    "POST",
    "/mcp",
    JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token !== "" && { authorization: `Bearer ${token}` }),
    },
  );
  if (answer.status !== 200) return answer.status;
  const isThere =
    method === "tools/list" ? answer.text.includes(`"${app.name}"`) : !answer.text.includes("There is no tool");
  return isThere ? 200 : 404;
}

type Attempt = (client: TestClient, role: Role) => Promise<number>;

const attempts: Record<string, Attempt> = {
  "call (project): make": async (client) => (await callsOf(client, app.name).send({})).status,
  "call (project): make on staging": async (client) => {
    await deploymentOf(cast.owner, graph).serve("staging", 1);
    return (await callsOf(client, app.name).send({}, "?channel=staging")).status;
  },
  "call (accounts): make": async (client) => {
    await deploymentOf(cast.owner, graph).changed({ access: "accounts" });
    return (await callsOf(client, app.name).send({})).status;
  },
  "call (link): make": async (client) => {
    await deploymentOf(cast.owner, graph).changed({ access: "link" });
    const { sharing } = (await deploymentOf(cast.owner, graph).send("POST", "/link")).json<Deployment>();
    const headers = { "x-miranda-link": sharing?.link ?? "" };
    expect((await callsOf(client, "-").send({}, "", headers)).status).toBe(202);
    return (await callsOf(client, app.name).send({})).status;
  },
  "call: read own, list own, events, cancel": async (client, role) => {
    const id = await storeCall(signedIn(client, role));
    const alive = await storeCall(signedIn(client, role), "running");
    return alike(
      client.get(at(id)),
      client.get(at(id, "/events")),
      callsOf(client, app.name).list(),
      client.post(at(alive, "/cancel"), {}),
    );
  },
  "call: read of others, events": async (client) => {
    const id = await storeCall(cast.owner);
    if (client !== cast.owner)
      expect((await client.get(at(id))).text).not.toContain(client === cast.viewer ? '"rate":4' : "–");
    return alike(client.get(at(id)), client.get(at(id, "/events")));
  },
  "call: what was given by others": async (client) => {
    // The admin is nobody's member: the call of somebody else than whoever asks.
    const by = client === cast.owner ? cast.editor : cast.owner;
    const sheet = { name: "a.csv", content: btoa("x") };
    const { id } = await callsOf(by, app.name).made({ data: sheet });
    return (await client.get(at(id, "/inputs/data"))).status;
  },
  "call: list all": async (client) => {
    await storeCall(cast.admin);
    const answer = await client.get(`/api/v3/graphs/${graph}/deployment/calls`);
    if (answer.status === 200) {
      const [first] = answer.json<CallPage>().calls;
      if (client === cast.viewer) expect([first?.by, first?.inputs]).toEqual([undefined, {}]);
      else expect(first).toMatchObject({ by: { username: "admin" }, inputs: { rate: 4 } });
    }
    return answer.status;
  },
  "call: cancel of others": async (client) => {
    const by = client === cast.owner ? cast.editor : cast.owner;
    return (await client.post(at(await storeCall(by, "running"), "/cancel"), {})).status;
  },
  "call: share or report of others": async (client) => {
    const by = client === cast.owner ? cast.editor : cast.owner;
    const id = await storeCall(by, "done", { share: "s", share_hash: hashToken(newId()) });
    return alike(
      client.post(at(id, "/share"), {}),
      client.delete(at(id, "/share")),
      client.post(at(id, "/report"), { message: "x" }),
    );
  },
  "call: open in the Designer": async (client) =>
    (await client.get(at(await storeCall(cast.owner), "/designer"))).status,
  "shared result: see": async (client) => {
    const id = await storeCall(cast.owner);
    const { share } = (await cast.owner.post(at(id, "/share"), {})).json<{ share: string }>();
    const answer = await client.get(`/api/v3/shared/${share}`);
    expect(answer.json<Call>()).toMatchObject({ id, inputs: {}, shared: null });
    return answer.status;
  },
  "shared result: list those of the project, end one or all": async (client) => {
    const id = await storeCall(cast.owner, "done", { share: "s", share_hash: hashToken(newId()) });
    const list = `/api/v3/projects/${project}/shares`;
    const listed = client.get(list);
    const { status, text } = await listed;
    if (status === 200) expect([text.includes(id), text.includes('"total":1')]).toEqual([true, true]);
    // In turn: the second ends what the first would find.
    const one = await client.delete(`${list}/${id}`);
    return alike(listed, Promise.resolve(one), client.delete(list));
  },
  "OpenAPI of an app: read": async (client) =>
    (await client.get(`/api/v3/deployments/${app.name}/openapi.json`)).status,
  "MCP: list and call tools": async (client, role) => {
    const token = await tokenOf(client, role);
    const wrong = { name: app.name, arguments: { nonsense: 1 } };
    const statuses = [
      await askMcp(token, "tools/list", { cursor: app.name.slice(0, -1) }),
      await askMcp(token, "tools/call", wrong),
    ];
    expect(new Set(statuses).size).toBe(1);
    return statuses[0] ?? 0;
  },
  "webhook: call": async (client) => {
    const { address } = (await deploymentOf(cast.owner, graph).send("POST", "/hook", {})).json<HookMade>();
    return (await client.send("POST", address, "{}", { "content-type": "application/json" })).status;
  },
};

const isOurs = (resource: string): boolean =>
  /^(call|call \(\w+\)|shared result|OpenAPI of an app|MCP|webhook)$/.test(resource);

describe("who may do what with calls", () => {
  const cells = accessCells(isOurs);

  it("has an attempt for each row of the table, and a row for each attempt", () => {
    const rows = new Set(cells.map(({ resource, operation }) => `${resource}: ${operation}`));
    expect([...rows].toSorted()).toEqual(Object.keys(attempts).toSorted());
  });

  it.each(cells)("$resource, $operation: $role gets $status", async ({ resource, operation, role, status }) => {
    const attempt = attempts[`${resource}: ${operation}`];
    expect(statusInTable((await attempt?.(cast[role], role)) ?? 0)).toBe(status);
  });
});

function bearer(token: string): TestClient {
  return Object.assign(new TestClient(server.url), { headers: { authorization: `Bearer ${token}` } });
}

describe("a token of a deployment", () => {
  it("finds what was made with it, and no other call of its maker", async () => {
    const own = await storeCall(cast.owner);
    const robot = bearer(await deploymentOf(cast.owner, graph).token());
    const other = bearer(await deploymentOf(cast.owner, graph).token());
    const made = await callsOf(robot, app.name).made({ rate: 2 });
    expect(made.via).toBe("api");
    expect((await robot.get(at(made.id))).status).toBe(200);
    expect((await callsOf(robot, app.name).list()).json<CallPage>().calls.map(({ id }) => id)).toEqual([made.id]);
    for (const path of ["", "/events", "/files/1", "/inputs/data"])
      expect((await robot.get(at(own, path))).status).toBe(404);
    expect((await other.get(at(made.id))).status).toBe(404);
    expect((await robot.get(at(made.id, "/designer"))).status).toBe(403);
    expect((await robot.get(`/api/v3/graphs/${graph}/deployment/calls`)).status).toBe(403);
  });

  it("calls nothing of another deployment, and nothing once it is revoked", async () => {
    const second = await buildGraph(cast, project, "Other");
    await buildFlow(cast.owner, second);
    await deployFlow(cast.owner, second, { name: `${app.name}-b`, access: "accounts" });
    const token = await deploymentOf(cast.owner, second).token();
    expect((await callsOf(bearer(token), app.name).send({})).status).toBe(404);
    expect((await callsOf(bearer(token), app.id).send({})).status).toBe(404);
    const { send } = deploymentOf(cast.owner, second);
    const [stored] = (await send("GET", "/tokens")).json<{ id: string }[]>();
    await send("DELETE", `/tokens/${stored?.id}`);
    expect((await callsOf(bearer(token), `${app.name}-b`).send({})).status).toBe(401);
  });
});

describe("the id of a call", () => {
  it("opens nothing under another app, and nothing when it is no id", async () => {
    const id = await storeCall(cast.owner);
    const second = await buildGraph(cast, project, "Other");
    await buildFlow(cast.owner, second);
    await deployFlow(cast.owner, second, { name: `${app.name}-b` });
    expect((await callsOf(cast.owner, `${app.name}-b`).get(id)).status).toBe(404);
    for (const wrong of [newId(), "1", "../../..", "%00", "' or 1=1"])
      expect((await cast.owner.get(at(encodeURIComponent(wrong)))).status).toBe(404);
  });

  it("opens nothing to who may no longer use the app, also in the middle of a stream", async () => {
    const id = await storeCall(cast.viewer, "running");
    const cookie = [...cast.viewer.cookies].map(([key, value]) => `${key}=${value}`).join("; ");
    const answer = await fetch(`${server.url}${at(id, "/events")}`, { headers: { cookie } });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toContain("event: call");
    await cast.owner.delete(`/api/v3/projects/${project}/members/${cast.viewer.account.id}`);
    let text = "";
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value;
    expect(text).not.toContain("event: end");
    expect((await cast.viewer.get(at(id))).status).toBe(404);
    expect((await cast.viewer.get(at(id, "/events"))).status).toBe(404);
  });
});

describe("headers of strangers", () => {
  it.each([
    ["an empty link", { "x-miranda-link": "" }, 401],
    ["a link of nobody", { "x-miranda-link": "null" }, 404],
    ["a long link", { "x-miranda-link": "x".repeat(5_000) }, 401],
    ["a link like SQL", { "x-miranda-link": "' or true --" }, 404],
    ["a token of nobody", { authorization: "Bearer mdt_" }, 401],
    ["another site", { origin: "https://evil.example", "x-miranda-link": "x" }, 403],
  ] as const)("%j: nothing opens", async (_what, headers, status) => {
    await storeCall(null, "done", { visitor_hash: hashToken("visitor") });
    const client = server.anonymous();
    expect((await callsOf(client, app.name).send({}, "", headers)).status).toBe(status);
  });

  it("a visitor's cookie without the link opens nothing, and a made-up one finds nothing", async () => {
    await deploymentOf(cast.owner, graph).changed({ access: "link" });
    const { sharing } = (await deploymentOf(cast.owner, graph).send("POST", "/link")).json<Deployment>();
    const link = { "x-miranda-link": sharing?.link ?? "" };
    const visitor = server.anonymous();
    const made = (await callsOf(visitor, "-").send({}, "", link)).json<Call>();
    expect((await visitor.send("GET", at(made.id), undefined, link)).status).toBe(200);
    expect((await visitor.get(at(made.id))).status).toBe(401);
    const thief = server.anonymous();
    for (const cookie of ["x", "", "x".repeat(43)]) {
      const headers = { ...link, cookie: `miranda_visitor=${cookie}` };
      expect((await thief.send("GET", at(made.id), undefined, headers)).status).toBe(404);
    }
    const mine = server.anonymous();
    await mine.send("POST", "/api/v3/deployments/-/runs", "{}", { ...link, "content-type": "application/json" });
    // Calls of accounts belong to nobody's cookie.
    expect((await mine.send("GET", at(await storeCall(cast.owner)), undefined, link)).status).toBe(404);
  });
});

describe("a shared result", () => {
  const share = async (by: TestAccount): Promise<string> =>
    (await by.post(at(await storeCall(by), "/share"), {})).json<{ share: string }>().share;
  const see = async (address: string) => (await server.anonymous().get(`/api/v3/shared/${address}`)).status;

  it("opens nothing once who shared it has left, and while the app is paused", async () => {
    const address = await share(cast.viewer);
    expect(await see(address)).toBe(200);
    await deploymentOf(cast.owner, graph).changed({ paused: true });
    expect(await see(address)).toBe(404);
    expect(await see(`${address}/files/1`)).toBe(404);
    await deploymentOf(cast.owner, graph).changed({ paused: false });
    expect(await see(address)).toBe(200);
    await cast.owner.delete(`/api/v3/projects/${project}/members/${cast.viewer.account.id}`);
    expect(await see(address)).toBe(404);
  });

  it("ends when the owner ends it, one or all, and when a public project becomes private", async () => {
    const list = `/api/v3/projects/${project}/shares`;
    const ids = [await storeCall(cast.viewer), await storeCall(cast.editor)];
    const [first = "", second = ""] = await Promise.all(
      ids.map(async (id, place) => {
        const by = place === 0 ? cast.viewer : cast.editor;
        return (await by.post(at(id, "/share"), {})).json<{ share: string }>().share;
      }),
    );
    expect((await cast.owner.get(list)).json()).toMatchObject({
      total: 2,
      shares: [{ by: "editor" }, { by: "viewer" }],
    });
    expect((await cast.owner.get(list)).text).not.toContain(first);
    expect((await cast.owner.delete(`${list}/${ids[0]}`)).status).toBe(204);
    expect((await cast.owner.delete(`${list}/${ids[0]}`)).status).toBe(404);
    expect([await see(first), await see(second)]).toEqual([404, 200]);
    await cast.owner.patch(`/api/v3/projects/${project}`, { visibility: "public" });
    expect(await see(second)).toBe(200);
    await cast.owner.patch(`/api/v3/projects/${project}`, { visibility: "private" });
    expect(await see(second)).toBe(404);
    expect((await cast.owner.get(list)).json()).toEqual({ shares: [], total: 0 });
    // In a private project it can be shared again, and all end at once.
    const again = await share(cast.editor);
    expect(await see(again)).toBe(200);
    expect((await cast.owner.delete(list)).status).toBe(204);
    expect(await see(again)).toBe(404);
  });
});

describe("guesses and floods", () => {
  it("shares cannot be guessed", async () => {
    const id = await storeCall(cast.owner);
    await cast.owner.post(at(id, "/share"), {});
    for (const guess of [id, "null", "x".repeat(43), "%25".repeat(20)])
      expect((await server.anonymous().get(`/api/v3/shared/${guess}`)).status).toBe(404);
  });

  it("streams of one caller are bounded, and end when the caller leaves", async () => {
    const id = await storeCall(cast.editor, "running");
    const cookie = [...cast.editor.cookies].map(([key, value]) => `${key}=${value}`).join("; ");
    const stop = new AbortController();
    const open = () => fetch(`${server.url}${at(id, "/events")}`, { headers: { cookie }, signal: stop.signal });
    const answers = [];
    for (let count = 0; count < 15; count++) answers.push(await open());
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(200), ...Array(5).fill(429)]);
    expect(answers.at(-1)?.headers.get("retry-after")).toBe("5");
    // Others are not kept out.
    const other = await storeCall(cast.owner);
    expect((await cast.owner.get(at(other, "/events"))).text).toContain("event: end");
    stop.abort();
    await expect
      .poll(async () => (await cast.editor.get(at(await storeCall(cast.editor), "/events"))).status, {
        timeout: 10_000,
      })
      .toBe(200);
  });
});

describe("a deployment that is gone", () => {
  it("takes its calls, shares and files with it", async () => {
    const id = await storeCall(cast.owner, "running");
    const { share } = (await cast.owner.post(at(id, "/share"), {})).json<{ share: string }>();
    await deploymentOf(cast.owner, graph).remove();
    expect((await cast.owner.get(at(id))).status).toBe(404);
    expect((await server.anonymous().get(`/api/v3/shared/${share}`)).status).toBe(404);
  });
});
