import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import { TestClient } from "./testing/test-client.ts";
import { createTestDatabase } from "./testing/test-database.ts";

const root = resolve(import.meta.dirname, "..");
const { NODE_COMPILE_CACHE: cache } = process.env;
/** Servers start faster with what Node has compiled before. */
const compileCache: Record<string, string> = cache === undefined ? {} : { NODE_COMPILE_CACHE: cache };
const started: ChildProcess[] = [];
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "miranda-main-"));
});
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 }));

interface Run {
  child: ChildProcess;
  output(): string;
  exit: Promise<number | null>;
}

function run(environment: Record<string, string>): Run {
  const child = spawn(process.execPath, ["server/main.ts"], {
    cwd: root,
    env: { PATH: process.env["PATH"], ...compileCache, PORT: "0", LOG_LEVEL: "warn", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.push(child);
  let text = "";
  child.stdout?.on("data", (chunk) => (text += chunk));
  child.stderr?.on("data", (chunk) => (text += chunk));
  return { child, output: () => text, exit: once(child, "close").then(([code]) => code as number | null) };
}

async function address(running: Run): Promise<string> {
  for (;;) {
    const found = /^Miranda is at (http:\S+)$/m.exec(running.output())?.[1];
    if (found) return found;
    if (running.child.exitCode !== null) throw new Error(running.output());
    await sleep(50);
  }
}

async function refusal(environment: Record<string, string>): Promise<string> {
  const running = run(environment);
  expect(await running.exit).toBe(1);
  const lines = running
    .output()
    .trim()
    .split("\n")
    .filter((line) => !/^(?:Building the web client|Made the tables)/.test(line));
  expect(lines).toHaveLength(1);
  return lines[0] ?? "";
}

const person = {
  username: "keeper",
  email: "keeper@example.org",
  first_name: "K",
  last_name: "P",
  password: "long enough password",
};

it("keeps its data over a restart, and ends every process it started on Ctrl-C", { timeout: 120_000 }, async () => {
  const data = join(folder, "kept");
  const first = run({ MIRANDA_DATA: data });
  expect((await new TestClient(await address(first)).post("/api/v3/auth/register", person)).status).toBe(200);
  const postmaster = Number(
    (await readFile(join(data, "postgres", "cluster", "postmaster.pid"), "utf8")).split("\n")[0],
  );
  first.child.kill("SIGINT");
  expect(await first.exit).toBe(0);
  expect(() => process.kill(postmaster, 0)).toThrow("ESRCH");

  const second = run({ MIRANDA_DATA: data });
  const login = await new TestClient(await address(second)).post("/api/v3/auth", {
    username: "keeper",
    password: person.password,
  });
  expect(login.status).toBe(200);

  expect(await refusal({ MIRANDA_DATA: data })).toMatch(
    /^The data folder .* is in use by another Miranda \(process \d+\)\.$/,
  );

  // After a kill, the next start waits until the old database has ended, and loses nothing.
  second.child.kill("SIGKILL");
  await second.exit;
  const third = run({ MIRANDA_DATA: data });
  const again = await new TestClient(await address(third)).post("/api/v3/auth", {
    username: "keeper",
    password: person.password,
  });
  expect(again.status).toBe(200);
  third.child.kill("SIGTERM");
  expect(await third.exit).toBe(0);
});

it("finishes requests in flight before it stops", { timeout: 60_000 }, async () => {
  const running = run({ MIRANDA_DATA: join(folder, "inflight") });
  const url = new URL("/api/v3/auth/register", await address(running));
  const body = new URLSearchParams({ ...person, username: "inflight", email: "inflight@example.org" }).toString();
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    "content-length": body.length,
    expect: "100-continue",
  };
  const sending = request(url, { method: "POST", headers });
  sending.flushHeaders();
  // The server has begun with this request and waits for the rest of it.
  await once(sending, "continue");
  running.child.kill("SIGTERM");
  await sleep(300);
  const answered = once(sending, "response") as Promise<[IncomingMessage]>;
  sending.end(body);
  const [answer] = await answered;
  answer.resume();
  expect(answer.statusCode).toBe(200);
  expect(await running.exit).toBe(0);
});

it("exits with one line when the port is busy", { timeout: 60_000 }, async () => {
  const holder: Server = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const { port } = holder.address() as { port: number };
  try {
    const line = await refusal({ MIRANDA_DATA: join(folder, "busy"), PORT: String(port) });
    expect(line).toBe(`Port ${port} is in use. Set PORT to another one.`);
  } finally {
    holder.close();
  }
});

it("exits with one line when the data folder cannot be used", async () => {
  const file = join(folder, "a-file");
  await writeFile(file, "");
  expect(await refusal({ MIRANDA_DATA: file })).toContain(`The data folder ${file} cannot be used`);
  if (process.getuid?.() === 0) return;
  const closed = join(folder, "closed");
  await mkdir(closed);
  await chmod(closed, 0o500);
  expect(await refusal({ MIRANDA_DATA: closed })).toContain("no permission to write there");
});

it.each([
  ["nothing listens", "postgres://miranda:secret@127.0.0.1:1/miranda", "nothing listens there"],
  ["an unknown host", "postgres://miranda:secret@no-such-host.invalid/miranda", "the host name is unknown"],
  ["another scheme", "mysql://127.0.0.1/miranda", "The setting DATABASE_URL is wrong"],
])("exits with one line about a wrong DATABASE_URL: %s", async (_what, url, message) => {
  const line = await refusal({ MIRANDA_DATA: join(folder, "url"), DATABASE_URL: url });
  expect(line).toContain(message);
  expect(line).not.toContain("secret");
});

it("warns in one line when the role of DATABASE_URL is a superuser", { timeout: 60_000 }, async () => {
  const database = await createTestDatabase();
  const warnings = async (url: string): Promise<string[]> => {
    const running = run({ MIRANDA_DATA: join(folder, "role"), DATABASE_URL: url, MIRANDA_DEV: "1" });
    await address(running);
    running.child.kill("SIGTERM");
    expect(await running.exit).toBe(0);
    return running
      .output()
      .split("\n")
      .filter((line) => line.includes("superuser"));
  };
  try {
    expect(await warnings(database.adminUrl)).toEqual([
      "The role miranda of DATABASE_URL is a superuser. Give Miranda a role that owns its database and nothing else.",
    ]);
    expect(await warnings(database.url)).toEqual([]);
  } finally {
    await database.drop();
  }
});

it.each([
  [
    "nothing listens",
    { REDIS_URL: "redis://:hush-hush@127.0.0.1:1", MIRANDA_SECRET_KEY: "x".repeat(16) },
    "REDIS_URL cannot be used",
  ],
  ["no key for all", { REDIS_URL: "redis://127.0.0.1:1" }, "MIRANDA_SECRET_KEY must be set"],
  ["another scheme", { REDIS_URL: "http://127.0.0.1" }, "The setting REDIS_URL is wrong"],
])("exits with one line about a wrong REDIS_URL: %s", async (_what, environment, message) => {
  const database = await createTestDatabase();
  const own = { MIRANDA_DATA: join(folder, "redis"), DATABASE_URL: database.url };
  const line = await refusal({ ...own, ...environment });
  await database.drop();
  expect(line).toContain(message);
  expect(line).not.toContain("hush");
});

it("exits with one line that names the wrong setting", async () => {
  expect(await refusal({ MIRANDA_DATA: folder, PORT: "eighty" })).toContain("The setting PORT is wrong");
});
