import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { callsOf, serveAsProposed } from "../../testing/deployments/served.ts";
import { wheelHeader } from "../../testing/services/wheel.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { Workbench } from "../../testing/workbench.ts";

let server: TestServer;
let folder: string;
beforeAll(async () => {
  server = await startTestServer();
  folder = await mkdtemp(join(tmpdir(), "miranda-gate-"));
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

/** A deployment with a warm session. Then its package disappears: from where it was, and from this machine. */
async function serveLost(name: string) {
  const gate = join(folder, name);
  const bench = await Workbench.open(server);
  const hidden = server.db.updateTable("projects").set({ visibility: "private" }).where("id", "=", bench.projectId);
  await hidden.execute();
  const header = await wheelHeader("seas", "HEIGHT = 42\n");
  await bench.node(
    `${header}from miranda import *

class Tide(Node):
    waits = Field(False, control=Toggle())
    height = Transmitter()
    def run(self):
        import os, seas, time
        while self.waits and not os.path.exists(${JSON.stringify(gate)}):
            time.sleep(0.01)
        self.height.send(seas.HEIGHT)
`,
    "Tide",
  );
  const { id } = await serveAsProposed(bench, { name, warm: 1, at_once: 2, access: "accounts" });
  const sessions = () =>
    server.db
      .selectFrom("jobs")
      .select(["id", "state", "runs"])
      .where("deployment_id", "=", id)
      .orderBy("id")
      .execute();
  const calls = callsOf(bench.owner, name);
  await expect.poll(sessions, { timeout: 30_000 }).toMatchObject([{ state: "READY", runs: 1 }]);
  expect(await calls.done()).toMatchObject({ state: "done", result: { height: 42 } });
  const [, wheel = ""] = /file:\/\/([^"]+)"/.exec(header) ?? [];
  await rm(dirname(wheel), { recursive: true });
  const environments = join(server.dataFolder, "environments");
  for (const project of await readdir(environments)) await rm(join(environments, project), { recursive: true });
  return { calls, sessions, stranger: callsOf(await server.signUp(), name), open: () => writeFile(gate, "") };
}

const words = "Packages that it needs could not be installed, so it did not begin.";

describe("a release whose packages can no longer be had", { timeout: 120_000 }, () => {
  it("is served by the warm session, and a new session says what is wrong and ends", async () => {
    const { calls, sessions, stranger, open } = await serveLost("kept");
    const long = await calls.made({ waits: true });
    await expect.poll(async () => (await calls.read(long.id)).state).toBe("running");
    // For each of these a session starts, which cannot install anything.
    const reason = `${words} The packages could not be installed.`;
    expect(await calls.done()).toMatchObject({ state: "failed", reason, steps: [{ label: "Tide", state: "failed" }] });
    expect(await stranger.done()).toMatchObject({ state: "failed", reason: words, result: {} });
    const others = async () => (await sessions()).slice(1).map(({ state }) => state);
    await expect.poll(others, { timeout: 20_000 }).toEqual(["EXITED", "EXITED"]);
    await open();
    expect(await calls.ended(long.id)).toMatchObject({ state: "done", result: { height: 42 } });
    expect(await stranger.done()).toMatchObject({ state: "done", result: { height: 42 } });
    expect(await sessions()).toHaveLength(3);
  });
});
