import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { newId } from "../platform/crypto.ts";
import { readConfig } from "../platform/config.ts";
import type { Engine } from "./engine.ts";
import { createLocalEngine } from "./local.ts";
import { markedBy } from "./processes.ts";

// One suite for every engine: whatever launches a processor keeps these promises.

let server: Server;
let folder: string;
const asked: string[] = [];
const engines: Record<string, () => Engine> = {
  local: () => {
    const { port } = server.address() as AddressInfo;
    const { processors } = readConfig({ MIRANDA_HEARTBEAT_SECONDS: "1" });
    return createLocalEngine({ ...processors, dataFolder: folder, address: () => `http://127.0.0.1:${port}` });
  },
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "miranda-engine-"));
  // A server that acknowledges everything and never has a command.
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    request.resume().on("end", () => {
      const answer = () => response.end('{"commands":[],"acknowledged":0}');
      if (request.url?.includes("/commands")) setTimeout(answer, 500);
      else answer();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each(Object.keys(engines))("the engine %s", (name) => {
  const launch = { token: "the token", storage: "s", ramBytes: 0, maxSeconds: 0 };

  it("launches, inspects, lists, stops and cleans", async () => {
    const engine = engines[name]?.() as Engine;
    await engine.listening();
    const jobId = newId();
    expect(await engine.inspect(jobId, null)).toBe("gone");
    const ref = await engine.launch({ ...launch, jobId });
    expect(JSON.parse(JSON.stringify(ref))).toEqual(ref);
    expect(await engine.inspect(jobId, ref)).toBe("running");
    expect(await engine.list()).toContain(jobId);
    await expect
      .poll(() => asked.some((line) => line === `POST /api/runner/${jobId}/events Bearer the token`))
      .toBe(true);

    // What another server finds in the database is enough.
    const other = engines[name]?.() as Engine;
    expect(await other.inspect(jobId, ref)).toBe("running");
    expect(await other.inspect(jobId, { ...ref, start: "1" })).toBe("gone");

    await engine.stop(jobId, ref);
    expect(await engine.inspect(jobId, ref)).toBe("gone");
    expect(await engine.list()).not.toContain(jobId);
    await engine.stop(jobId, ref);
    await engine.clean(jobId);
    await engine.clean(jobId);
  });
});

describe("the local engine", () => {
  it("leaves the token in no file, no argument and no environment of the worker", async () => {
    const engine = engines["local"]?.() as Engine;
    const jobId = newId();
    const ref = await engine.launch({ token: "a very secret token", storage: "s", ramBytes: 0, maxSeconds: 0, jobId });
    await expect.poll(async () => (await markedBy(`MIRANDA_JOB=${jobId}`)).length).toBe(2);
    await expect(stat(join(folder, "jobs", jobId, "settings"))).rejects.toThrow("ENOENT");
    for (const { pid } of await markedBy(`MIRANDA_JOB=${jobId}`)) {
      expect(await readFile(`/proc/${pid}/cmdline`, "latin1")).not.toContain("a very secret token");
      expect(await readFile(`/proc/${pid}/environ`, "latin1")).not.toContain("a very secret token");
    }
    await engine.stop(jobId, ref);
  });
});
