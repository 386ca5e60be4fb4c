import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";

import { readConfig } from "../../platform/settings/config.ts";
import { callsOf, serveAsProposed } from "../../testing/deployments/served.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { Workbench } from "../../testing/workbench.ts";

const double = `from miranda import *

class Double(Node):
    number = Field(1, control=Number())
    result = Transmitter()
    def run(self):
        self.result.send(self.number * 2)
`;

/** A server with few places, and an app whose session waits for calls. */
async function withIdleApp(environment: Record<string, string>, settings: { warm?: number } = {}) {
  const server = await startTestServer({ processors: readConfig(environment).processors });
  const bench = await Workbench.open(server);
  await bench.node(double, "Double");
  await serveAsProposed(bench, { name: "double", ...settings });
  const calls = callsOf(bench.owner, "double");
  expect((await calls.done({ number: 2 })).state).toBe("done");
  return { server, bench, calls };
}

const sessionsOf = (server: TestServer) =>
  server.db.selectFrom("jobs").select(["state", "deployment_id"]).orderBy("id").execute();

describe("a session of an app that waits for calls", () => {
  it("gives its place to a session that somebody starts, and the next call starts one again", async () => {
    const { server, bench, calls } = await withIdleApp({ MIRANDA_PROCESSORS: "1" });
    const other = await Workbench.open(server);
    await other.start();
    const [app, started] = await sessionsOf(server);
    expect(app?.state).toBe("EXITED");
    expect(started).toMatchObject({ state: "READY", deployment_id: null });
    await other.owner.put(`/api/v3/jobs/${other.jobId}/cancel`);
    expect((await calls.done({ number: 3 })).state).toBe("done");
    other.close();
    bench.close();
    await server.close();
  }, 60_000);

  it("gives its place to its owner's own session", async () => {
    const { server, bench } = await withIdleApp({ MIRANDA_PROCESSORS_PER_ACCOUNT: "1" });
    await bench.start();
    expect((await sessionsOf(server)).map(({ state }) => state)).toEqual(["EXITED", "READY"]);
    bench.close();
    await server.close();
  }, 60_000);

  it("stays when its owner wants it to be ready", async () => {
    const { server, bench } = await withIdleApp({ MIRANDA_PROCESSORS: "1" }, { warm: 1 });
    const other = await Workbench.open(server);
    expect((await other.owner.post(`/api/v3/graphs/${other.graphId}/processor`, { tag: 1 })).status).toBe(200);
    await sleep(5_000);
    expect((await sessionsOf(server)).map(({ state }) => state)).toEqual(["READY", "QUEUED"]);
    other.close();
    bench.close();
    await server.close();
  }, 60_000);
});
