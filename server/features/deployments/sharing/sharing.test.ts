import { errors } from "@miranda/contract/errors.ts";
import type { DeploymentToken, HookMade } from "@miranda/contract/schemas/deployments/deployments.ts";
import { sql } from "kysely";
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { hashToken } from "../../../platform/crypto.ts";
import { buildGraph, buildProject, type Cast, signUpCast } from "../../../testing/access.ts";
import { buildFlow, deployFlow, deploymentOf } from "../../../testing/deployments/deployments.ts";
import { TestClient } from "../../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let project: string;
let graph: string;
let count = 0;
let name = "";
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  project = (await buildProject(cast)).id;
  graph = await buildGraph(cast, project);
  await buildFlow(cast.owner, graph);
  name = `app-${++count}`;
  await deployFlow(cast.owner, graph, { name });
});

function bearer(token: string): TestClient {
  return Object.assign(new TestClient(server.url), { headers: { authorization: `Bearer ${token}` } });
}

describe("a token of a deployment", () => {
  it("is shown once, uses its deployment and nothing else", async () => {
    const token = await deploymentOf(cast.editor, graph).token("Robot");
    expect(token).toMatch(/^mdt_[\w-]{43}$/);
    const listed = await deploymentOf(cast.owner, graph).send("GET", "/tokens");
    expect(listed.text).not.toContain(token.slice(4));
    expect(listed.json()).toMatchObject([{ name: "Robot", hint: token.slice(-4), by: { username: "editor" } }]);
    const robot = bearer(token);
    expect((await robot.get(`/api/v3/deployments/${name}`)).json()).toMatchObject({ name });
    for (const path of [
      "/api/v3/auth/account",
      "/api/v3/projects/",
      `/api/v3/graphs/${graph}/deployment`,
      "/api/v3/deployments",
      `/api/v3/graphs/${graph}/graph`,
      "/%61pi/v3/projects/",
    ]) {
      const answer = await robot.get(path);
      expect([path, answer.status, answer.text]).toEqual([path, 403, errors.token_scope]);
    }
    const refused = await robot.put(`/api/v3/deployments/${name}/favourite`, { favourite: true });
    expect(refused.text).toBe(errors.token_scope);
    expect((await deploymentOf(robot, graph).send("POST", "/tokens", {})).text).toBe(errors.token_scope);
  });

  it("cannot use another deployment of the same person", async () => {
    const other = await buildGraph(cast, project, "Other");
    await buildFlow(cast.owner, other);
    const { id } = await deployFlow(cast.owner, other, { name: `${name}-b`, access: "accounts" });
    const robot = bearer(await deploymentOf(cast.owner, graph).token());
    expect((await robot.get(`/api/v3/deployments/${name}-b`)).status).toBe(404);
    expect((await robot.get(`/api/v3/deployments/${id}`)).status).toBe(404);
  });

  it("stops working when it is revoked, or when the person who made it may no longer use the deployment", async () => {
    const robot = bearer(await deploymentOf(cast.editor, graph).token());
    const path = `/api/v3/deployments/${name}`;
    expect((await robot.get(path)).status).toBe(200);
    await cast.owner.delete(`/api/v3/projects/${project}/members/${cast.editor.account.id}`);
    expect((await robot.get(path)).status).toBe(404);
    await cast.owner.post(`/api/v3/projects/${project}/members`, { user: "editor", role: "editor" });
    const { send } = deploymentOf(cast.owner, graph);
    const [token] = (await send("GET", "/tokens")).json<DeploymentToken[]>();
    expect((await send("DELETE", `/tokens/${token?.id}`)).status).toBe(204);
    expect((await robot.get(path)).status).toBe(401);
    expect((await robot.get("/api/v3/projects/")).status).toBe(401);
    expect((await send("DELETE", `/tokens/${token?.id}`)).status).toBe(404);
  });

  it("is made only by editors in a browser, and at most fifty times", async () => {
    expect((await deploymentOf(cast.viewer, graph).send("POST", "/tokens", {})).status).toBe(403);
    expect((await deploymentOf(cast.viewer, graph).send("GET", "/tokens")).status).toBe(403);
    expect((await deploymentOf(cast.stranger, graph).send("POST", "/tokens", {})).status).toBe(404);
    const account = await cast.owner.post("/api/v3/auth/access_tokens", { web_password: "correct horse battery" });
    const program = bearer(account.json<{ token: string }>().token);
    expect((await deploymentOf(program, graph).send("POST", "/tokens", {})).text).toBe(errors.session_only);
    const made = await Promise.all(
      Array.from({ length: 52 }, () => deploymentOf(cast.owner, graph).send("POST", "/tokens", {})),
    );
    expect(made.filter(({ status }) => status === 201)).toHaveLength(50);
    expect(made.find(({ status }) => status !== 201)?.text).toBe(errors.too_many_deployment_tokens);
  });

  it("of another deployment is not found below this one", async () => {
    const other = await buildGraph(cast, project, "Other");
    await buildFlow(cast.owner, other);
    await deployFlow(cast.owner, other, { name: `${name}-b` });
    await deploymentOf(cast.owner, other).token();
    const [token] = (await deploymentOf(cast.owner, other).send("GET", "/tokens")).json<DeploymentToken[]>();
    expect((await deploymentOf(cast.owner, graph).send("DELETE", `/tokens/${token?.id}`)).status).toBe(404);
    expect((await deploymentOf(cast.owner, other).send("GET", "/tokens")).json()).toHaveLength(1);
  });
});

describe("a hook", () => {
  it("is shown once, and stored as a hash and an encrypted key", async () => {
    const { send, read } = deploymentOf(cast.owner, graph);
    const made = (await send("POST", "/hook", { signed: true, field: "mode" })).json<HookMade>();
    const secret = made.address.split("/").at(-1) ?? "";
    expect(made).toEqual({ address: `/api/v3/hooks/${secret}`, secret: expect.stringMatching(/^[\w-]{43}$/) });
    expect((await read()).sharing?.hook).toMatchObject({ hint: secret.slice(-4), signed: true, field: "mode" });
    const { rows } = await sql<{ hook_hash: Buffer; hook_secret: Buffer }>`
      select hook_hash, hook_secret from deployments where name = ${name}`.execute(server.db);
    expect(rows[0]?.hook_hash).toEqual(hashToken(secret));
    expect(rows[0]?.hook_secret.toString("latin1")).not.toContain(made.secret);
    const again = (await send("POST", "/hook", {})).json<HookMade>();
    expect([again.secret, again.address === made.address]).toEqual([null, false]);
    expect((await send("DELETE", "/hook")).status).toBe(204);
    expect((await read()).sharing?.hook).toBeNull();
  });

  it("is made only by owners, and only for a field of the form", async () => {
    expect((await deploymentOf(cast.editor, graph).send("POST", "/hook", {})).status).toBe(403);
    expect((await deploymentOf(cast.editor, graph).send("POST", "/link")).status).toBe(403);
    const wrong = await deploymentOf(cast.owner, graph).send("POST", "/hook", { field: "nothing" });
    expect([wrong.status, wrong.text]).toEqual([400, "There is no field “nothing”."]);
  });
});

describe("a picture", () => {
  const put = (bytes: Uint8Array<ArrayBuffer>, type = "image/png") => {
    const form = new FormData();
    form.set("picture", new Blob([bytes], { type }), "picture.png");
    return cast.editor.send("PUT", `/api/v3/graphs/${graph}/deployment/picture`, form);
  };

  it("is drawn again, and its address opens without an account", async () => {
    const image = sharp({ create: { width: 1_000, height: 1_000, channels: 3, background: "#336699" } });
    const drawn = await image
      .withExif({ IFD0: { Artist: "Somebody" } })
      .png()
      .toBuffer();
    expect((await put(new Uint8Array(drawn))).status).toBe(200);
    const { picture, id } = await deploymentOf(cast.owner, graph).read();
    const answer = await cast.anonymous.get(picture ?? "");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/webp"]);
    const { width, height, exif } = await sharp(answer.bytes).metadata();
    expect([width, height, exif]).toEqual([800, 450, undefined]);
    for (const v of ["", "x", "%00", "' or 1=1"]) {
      const guessed = await cast.anonymous.get(`/api/v3/deployments/${id}/picture?v=${v}`);
      expect([v, [400, 404].includes(guessed.status)]).toEqual([v, true]);
    }
    expect((await cast.editor.delete(`/api/v3/graphs/${graph}/deployment/picture`)).status).toBe(200);
    expect((await cast.anonymous.get(picture ?? "")).status).toBe(404);
  });

  it("is refused when it is no picture, too large, or a decompression bomb", async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    const bad = [svg, Buffer.from("GIF89a"), Buffer.alloc(0), bomb(40_000, 40_000)];
    for (const bytes of bad) expect([415, 413]).toContain((await put(new Uint8Array(bytes))).status);
    expect((await put(new Uint8Array(6 * 1024 * 1024))).status).toBe(413);
    expect((await cast.editor.put(`/api/v3/graphs/${graph}/deployment/picture`, { picture: "text" })).status).toBe(415);
    expect((await cast.viewer.delete(`/api/v3/graphs/${graph}/deployment/picture`)).status).toBe(403);
    expect((await deploymentOf(cast.owner, graph).read()).picture).toBeNull();
  });
});

/** A small PNG that says it has many pixels. */
function bomb(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(data.length);
    const check = Buffer.alloc(4);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([head, body, check]);
  };
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  size.set([8, 0, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const rows = deflateSync(Buffer.alloc(1_000_000));
  return Buffer.concat([signature, chunk("IHDR", size), chunk("IDAT", rows), chunk("IEND", Buffer.alloc(0))]);
}
