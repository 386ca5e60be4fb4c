import type { CommandEvent, ExceptionEvent, Job, JobSummary } from "@miranda/contract/schemas/processors.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { script, Workbench } from "../../testing/workbench.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

describe("a processor", () => {
  it("S3-029 S3-030 S7-058 S7-060 S7-064 S7-073 starts, runs a graph, keeps its log and ends", async () => {
    const bench = await Workbench.open(server);
    const path = `/api/v3/graphs/${bench.graphId}/processor`;
    expect((await bench.owner.get(path)).text).toBe("null");
    await bench.node(script("print('hello')", "print('there')"));
    await bench.start();
    expect((await bench.owner.get(path)).json<JobSummary>()).toMatchObject({
      id: bench.jobId,
      tag: expect.any(Number) as number,
      workflow_state: "READY",
    });
    expect((await bench.run()).workflow_state).toBe("READY");
    expect(await bench.lines()).toEqual([
      [0, "hello"],
      [0, "there"],
    ]);
    const entry = { id: expect.any(Number) as number, timestamp: expect.stringMatching(/Z$/) as string, tag: 0 };
    // Both lines in one entry, or each in its own.
    const hello = expect.objectContaining({ ...entry, message: expect.stringMatching(/^hello/) as string }) as unknown;
    expect(await bench.logs()).toContainEqual(hello);
    const job = (await bench.owner.get(`/api/v3/jobs/${bench.jobId}`)).json<Job>();
    expect(job.logs).toContainEqual(hello);
    expect(job).toMatchObject({ class: "Docker_job", graph: { graph_id: bench.graphId, project_id: bench.projectId } });
    const ended = await bench.until("stop", "", "EXITED");
    expect(ended).toMatchObject({ workflow_state: "EXITED", class: "Docker_job" });
    bench.close();
  });

  it("S7-065 S7-071 S7-072 S7-118 S7-124 sets up its nodes, reports exceptions, restarts and is cancelled", async () => {
    const bench = await Workbench.open(server);
    await bench.node(`from miranda import *
class Script(Node):
    def setup(self):
        print("set up")
    def run(self):
        raise ValueError("no tide")
`);
    await bench.start();
    const since = bench.listener.received.length;
    await bench.until("run-setup", "", "READY");
    expect(await bench.listener.wait<CommandEvent>("run-setup", () => true, since)).toMatchObject({ error: null });
    expect(await bench.lines()).toContainEqual([0, "set up"]);
    await bench.run();
    expect(await bench.listener.wait<ExceptionEvent>("exception")).toMatchObject({
      line_number: 6,
      funcname: "run",
      traceback: expect.stringContaining("ValueError: no tide") as string,
    });
    // Also for people who look later.
    expect((await bench.lines()).at(-1)).toEqual([3, "ValueError: no tide"]);
    await bench.until("restart", "", "READY");
    expect((await bench.job()).id).toBe(bench.jobId);
    const from = bench.listener.received.length;
    const cancelled = await bench.owner.put(`/api/v3/jobs/${bench.jobId}/cancel`);
    expect(cancelled.json<JobSummary>().workflow_state).toMatch(/KILLING|EXITED/);
    expect((await bench.state(from, "EXITED")).workflow_state).toBe("EXITED");
    expect((await bench.owner.put(`/api/v3/jobs/${bench.jobId}/cancel`)).status).toBe(409);
    bench.close();
  });
});
