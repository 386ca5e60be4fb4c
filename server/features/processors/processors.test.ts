import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { script, Workbench } from "../../testing/workbench.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

describe("a processor", () => {
  it("starts, runs a graph, keeps its log and ends", async () => {
    const bench = await Workbench.open(server);
    expect((await bench.owner.get(`/api/v3/graphs/${bench.graphId}/processor`)).text).toBe("null");
    await bench.node(script("print('hello')", "print('there')"));
    await bench.start();
    expect((await bench.run()).workflow_state).toBe("READY");
    expect(await bench.lines()).toEqual([
      [0, "hello"],
      [0, "there"],
    ]);
    const ended = await bench.until("stop", "", "EXITED");
    expect(ended).toMatchObject({ workflow_state: "EXITED", class: "Docker_job" });
    bench.close();
  });
});
