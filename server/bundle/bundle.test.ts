import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import { createTestDatabase } from "../testing/test-database.ts";

// On a copy of the sources: other tests run from ours meanwhile.

const root = resolve(import.meta.dirname, "..", "..");
const timeout = 120_000;
let copy: string;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
const started: ChildProcess[] = [];
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "miranda-bundle-"));
  for (const name of ["server", "contract", "package.json"])
    await cp(join(root, name), join(copy, name), { recursive: true });
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  database = await createTestDatabase();
}, timeout);
afterEach(() => stop());
afterAll(async () => {
  await rm(copy, { recursive: true, force: true });
  await database.drop();
});

/** What a server says until it answers or ends. */
async function start(): Promise<{ output: string; url: string | undefined }> {
  const settings = { MIRANDA_DEV: "1", PORT: "0", LOG_LEVEL: "silent", MIRANDA_SANDBOX: "off" };
  const places = { DATABASE_URL: database.url, MIRANDA_DATA: join(copy, "data") };
  const child = spawn(process.execPath, ["server/main.ts"], {
    cwd: copy,
    env: { ...process.env, ...settings, ...places },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.push(child);
  let output = "";
  const ended = once(child, "close");
  const answering = new Promise<void>((found) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        output += chunk;
        if (output.includes("Miranda is at ")) found();
      });
  });
  await Promise.race([ended, answering]);
  return { output, url: /Miranda is at (\S+)/.exec(output)?.[1] };
}

async function stop(): Promise<void> {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGTERM");
    await once(child, "exit");
  }
}

async function change(file: string, from: string, to: string): Promise<void> {
  const path = join(copy, file);
  const text = await readFile(path, "utf8");
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
  await writeFile(path, text.replace(from, to));
}

const building = "Building the server …";

it(
  "is made once, and again when a source has changed",
  async () => {
    const first = await start();
    expect(first.output).toContain(building);
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
    // Needs a page of its own, and files beside it.
    expect((await fetch(`${first.url}/api/docs/`)).status).toBe(200);
    await stop();
    const second = await start();
    expect(second.url).toBeDefined();
    expect(second.output).not.toContain(building);
    await stop();
    await change("server/serve.ts", "Miranda is at", "Now Miranda is at");
    const third = await start();
    expect(third.output).toContain(building);
    expect(third.output).toContain("Now Miranda is at");
  },
  timeout,
);

it(
  "names the line of the source when something fails",
  async () => {
    const line = "  const data = await holdDataFolder(config.dataFolder);";
    await change("server/serve.ts", line, `  if (config.dataFolder) throw new Error("It is broken here.");\n${line}`);
    const { output, url } = await start();
    expect(url).toBeUndefined();
    const lines = (await readFile(join(copy, "server/serve.ts"), "utf8")).split("\n");
    const at = lines.findIndex((text) => text.includes("It is broken here.")) + 1;
    expect(output).toContain("It is broken here.");
    expect(output).toMatch(new RegExp(`server/serve\\.ts:${at}\\b`));
    await change("server/serve.ts", `  if (config.dataFolder) throw new Error("It is broken here.");\n`, "");
  },
  timeout,
);

it(
  "is done without where it cannot be made, and the server says so",
  async () => {
    await change("server/serve.ts", "Now Miranda is at", "Miranda is at");
    await rm(join(copy, "dist"), { recursive: true });
    await mkdir(join(copy, "dist"));
    await writeFile(join(copy, "dist", "server"), "in the way");
    const { output, url } = await start();
    expect(output).toContain("The server could not be built. It runs from its sources and starts later.");
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  },
  timeout,
);
