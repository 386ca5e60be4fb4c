import type { AuditRecord } from "@miranda/contract/schemas/audit.ts";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rename, rm, stat } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import { type TestAccount, startTestServer, type TestServer } from "../../../testing/test-server.ts";

let folder: string;
let server: TestServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "miranda-audit-"));
});
afterEach(() => server.close());
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The first account is the administrator. */
async function open(auditStream: string): Promise<TestAccount> {
  server = await startTestServer({ auditStream });
  const admin = await server.signUp("admin");
  return admin;
}

const kinds = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as AuditRecord).kind);

const warnings = async (admin: TestAccount) =>
  (await admin.get("/api/v3/settings/warnings"))
    .json<{ warnings: { code: string; message: string }[] }>()
    .warnings.filter(({ code }) => code === "audit_stream");

it("writes each record to a file that only the server reads, once with two servers, also after a rotation", async () => {
  const file = join(folder, "audit.jsonl");
  const admin = await open(file);
  const text = () => readFile(file, "utf8").catch(() => "");
  await expect.poll(async () => kinds(await text())).toContain("account.register");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const twin = await server.twin();
  await rename(file, `${file}.1`);
  for (let n = 0; n < 20; n++) await admin.post("/api/v3/projects/", { name: `P${n}` });
  await expect.poll(async () => kinds(await text()).filter((kind) => kind === "project.create").length).toBe(20);
  const lines = (await text())
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as AuditRecord);
  expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
  expect(lines.find(({ kind }) => kind === "project.create")).toMatchObject({
    sentence: "admin created the project P0",
    address: "127.0.0.1",
  });
  await twin.close();
});

it("goes on when the target is broken, tells administrators what waits, and writes it later in its order", async () => {
  const file = join(folder, "not-yet", "audit.jsonl");
  const admin = await open(file);
  await expect.poll(() => warnings(admin)).toHaveLength(1);
  const { id } = (await admin.post("/api/v3/projects/", { name: "Kept" })).json<{ id: string }>();
  expect((await admin.get(`/api/v3/projects/${id}`)).status).toBe(200);
  expect((await warnings(admin))[0]?.message).toMatch(/records of the audit log could not be written to .*ENOENT/);
  await mkdir(join(folder, "not-yet"));
  await expect.poll(async () => kinds(await readFile(file, "utf8").catch(() => ""))).toContain("project.create");
  const written = (await readFile(file, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as AuditRecord).id);
  expect(written).toEqual(written.toSorted((a, b) => a - b));
  await expect.poll(() => warnings(admin)).toEqual([]);
});

it("sends records to a syslog over TCP and UDP, one message each", async () => {
  let received = "";
  const sockets: Socket[] = [];
  const tcp = createServer((socket) => {
    sockets.push(socket);
    socket.on("data", (chunk) => (received += chunk.toString()));
  }).listen(0, "127.0.0.1");
  await once(tcp, "listening");
  const address = tcp.address();
  const port = typeof address === "object" && address ? address.port : 0;
  await open(`syslog://127.0.0.1:${port}`);
  await expect.poll(() => received).toMatch(/^\d+ <110>1 \S+Z \S+ miranda \d+ audit - \{.*"kind":"account.register"/);
  const length = Number.parseInt(received, 10);
  const message = received.slice(received.indexOf(" ") + 1).slice(0, length);
  expect(JSON.parse(message.slice(message.indexOf("{")))).toMatchObject({ kind: "account.register" });
  tcp.close();
  for (const socket of sockets) socket.destroy();
  await server.close();

  const udp = createSocket("udp4").bind(0, "127.0.0.1");
  await once(udp, "listening");
  const messages: string[] = [];
  udp.on("message", (bytes) => messages.push(bytes.toString()));
  const admin = await open(`syslog+udp://127.0.0.1:${udp.address().port}`);
  for (let n = 0; n < 20; n++) await admin.post("/api/v3/projects/", { name: `P${n}` });
  await expect.poll(() => messages.filter((one) => one.includes("project.create")).length).toBe(20);
  udp.close();
});

it("stops to keep records for a stream that is no longer set up", async () => {
  const admin = await open(join(folder, "nowhere", "audit.jsonl"));
  await expect.poll(() => warnings(admin)).toHaveLength(1);
  const count = async () => (await server.db.selectFrom("audit_unsent").select("id").execute()).length;
  expect(await count()).toBeGreaterThan(0);
  const { createAuditStream } = await import("./audit-stream.ts");
  const without = createAuditStream({
    ...{ db: server.db, target: undefined, currency: "$", report: () => undefined, tell: () => undefined },
  });
  without.start();
  await expect.poll(count).toBe(0);
  await without.close();
  await admin.post("/api/v3/projects/", { name: "Unstreamed" });
  expect(await count()).toBe(0);
});
