import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { TestClient } from "./testing/test-client.ts";

// What `npm start` runs: a small parent that starts the server again when it dies.

const root = resolve(import.meta.dirname, "..");
const script = join(root, "server", "start.sh");
const started: ChildProcess[] = [];
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "miranda-start-"));
});
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGTERM");
    await once(child, "exit");
  }
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 }));

function run(environment: Record<string, string>) {
  const child = spawn("sh", [script], {
    cwd: root,
    env: { ...process.env, MIRANDA_DEV: "1", LOG_LEVEL: "warn", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.push(child);
  let text = "";
  child.stdout.on("data", (chunk) => (text += chunk));
  child.stderr.on("data", (chunk) => (text += chunk));
  return { child, output: () => text, exit: once(child, "close").then(([code]) => code as number | null) };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  probe.close();
  return port;
}

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let tried = 0; tried < 1_200; tried += 1) {
    if (await holds()) return;
    await sleep(50);
  }
  throw new Error(`Never came: ${what}`);
}

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

/** The process that holds the data folder. */
const serverOf = async (data: string): Promise<number> =>
  Number((await readFile(join(data, "miranda.lock"), "utf8")).split(" ")[0]);

describe("npm start", () => {
  it("runs the script of this test, as the image does", async () => {
    const { scripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    expect(scripts["start"]).toBe("sh server/start.sh");
    expect(await readFile(join(root, "docker", "server.Dockerfile"), "utf8")).toContain(
      'CMD ["sh", "server/start.sh"]',
    );
  });

  it(
    "starts a killed server again, with its people signed in, and ends with it on Ctrl-C",
    {
      timeout: 180_000,
    },
    async () => {
      const data = join(folder, "killed");
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const running = run({ MIRANDA_DATA: data, PORT: String(port) });
      await until(() => running.output().includes("Miranda is at"), "the server");
      const person = new TestClient(url);
      const form = { username: "keeper", email: "keeper@example.org", first_name: "K", last_name: "P" };
      expect((await person.post("/api/v3/auth/register", { ...form, password: "long enough password" })).status).toBe(
        200,
      );
      const first = await serverOf(data);
      process.kill(first, "SIGKILL");
      await until(() => running.output().includes("It is started again."), "the line of the parent");
      await until(() => answers(url), "an answer");
      expect(await serverOf(data)).not.toBe(first);
      expect((await person.get("/api/v3/auth")).status).toBe(200);
      expect(running.output()).toContain("Miranda ended without being asked to (status 137). It is started again.");

      const second = await serverOf(data);
      const postmaster = Number(
        (await readFile(join(data, "postgres", "cluster", "postmaster.pid"), "utf8")).split("\n")[0],
      );
      // As a terminal does: to the parent and the server at once.
      process.kill(second, "SIGINT");
      running.child.kill("SIGINT");
      expect(await running.exit).toBe(0);
      for (const pid of [second, postmaster]) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    },
  );

  it("does not start a server again that says what is wrong", { timeout: 60_000 }, async () => {
    const running = run({ MIRANDA_DATA: join(folder, "wrong"), PORT: "eighty" });
    expect(await running.exit).toBe(1);
    expect(running.output().trim().split("\n")).toHaveLength(1);
    expect(running.output()).toContain("PORT");
  });
});

describe("a server that dies at once", () => {
  /** A program in the place of Node, for what no real server does on request. */
  async function withProgram(lines: string) {
    const bin = await mkdtemp(join(folder, "bin-"));
    await mkdir(bin, { recursive: true });
    await writeFile(join(bin, "node"), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
    return run({ PATH: `${bin}:${process.env["PATH"]}` });
  }

  it("is started five times within a minute, and then no more", async () => {
    const running = await withProgram("echo started; kill -9 $$");
    expect(await running.exit).toBe(1);
    expect(running.output().match(/^started$/gm)).toHaveLength(5);
    expect(running.output()).toMatch(
      /\nMiranda ended 5 times within 60 seconds, so it is not started again\. The lines above say why\.\n$/,
    );
  });

  it("is started again when only a later start fails, as after a database that was away", async () => {
    const seen = join(folder, "seen");
    const running = await withProgram(
      `if [ -e ${seen}.2 ]; then exit 0; elif [ -e ${seen} ]; then touch ${seen}.2; exit 1; else touch ${seen}; exit 70; fi`,
    );
    expect(await running.exit).toBe(0);
    expect(running.output().match(/It is started again/g)).toHaveLength(2);
  });

  it("is not started again while it is being stopped", async () => {
    const running = await withProgram("trap 'exit 9' TERM; echo started; while :; do sleep 0.1; done");
    await until(() => running.output().includes("started"), "the program");
    running.child.kill("SIGTERM");
    expect(await running.exit).toBe(9);
    expect(running.output()).toBe("started\n");
  });
});
