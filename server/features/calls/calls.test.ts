import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { callsOf, releaseAgain, serveAsProposed } from "../../testing/deployments/served.ts";
import { deploymentOf } from "../../testing/deployments/deployments.ts";
import { readRun } from "../../testing/runs.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { Workbench } from "../../testing/workbench.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(async () => {
  await server.close();
});

/** Learns once for each session, and answers each call. */
const learn = `from miranda import *

class Learn(Node):
    model = Transmitter()
    def run(self):
        import uuid
        self.model.send(uuid.uuid4().hex)
`;
const answer = `from miranda import *

class Answer(Node):
    model = Receiver()
    number = Field(3, control=Number())
    result = Transmitter()
    learned = Transmitter()
    def run(self):
        print("answering", self.number)
        self.result.send(self.number * 2)
        self.learned.send(self.model)
`;

async function buildAnswer(): Promise<Workbench> {
  const bench = await Workbench.open(server);
  const first = await bench.node(learn, "Learn");
  const second = await bench.node(answer, "Answer");
  await bench.edge(first, "model", second, "model");
  return bench;
}

async function sessionsOf(deploymentId: string) {
  return server.db
    .selectFrom("jobs")
    .select(["id", "state", "release_id", "runs"])
    .where("deployment_id", "=", deploymentId)
    .orderBy("id")
    .execute();
}

describe("calls", () => {
  it("run in a session that keeps what they do not change", async () => {
    const bench = await buildAnswer();
    const { id } = await serveAsProposed(bench, { name: "answers" });
    const calls = callsOf(bench.owner, "answers");
    const first = await calls.done({ number: 21 });
    expect(first).toMatchObject({ state: "done", reason: "", result: { result: 42 }, inputs: { number: 21 } });
    const second = await calls.done({ number: 4 });
    expect(second).toMatchObject({ state: "done", result: { result: 8, learned: first.result["learned"] } });
    const third = await calls.done();
    expect(third.result).toMatchObject({ result: 6 });
    expect(await sessionsOf(id)).toMatchObject([{ runs: 3, state: "READY" }]);
    const run = await readRun(bench, second.id);
    expect(run).toMatchObject({ state: "done", mode: "call", source: "deployment", nodes: { run: 1, skipped: 1 } });
    // The editor has no session, and the canvas shows nothing of calls.
    expect((await bench.owner.get(`/api/v3/graphs/${bench.graphId}/processor`)).json()).toBeNull();
    const nodes = await server.db.selectFrom("nodes").select("status").where("graph_id", "=", bench.graphId).execute();
    expect(new Set(nodes.map(({ status }) => status)).size).toBe(1);
  });

  it("find a warm session, and go to the new release when the channel moves", async () => {
    const bench = await buildAnswer();
    const { id } = await serveAsProposed(bench, { name: "warm-answers", warm: 1, at_once: 1 });
    await expect.poll(() => sessionsOf(id), { timeout: 20_000 }).toMatchObject([{ state: "READY", runs: 1 }]);
    const calls = callsOf(bench.owner, "warm-answers");
    const first = await calls.done({ number: 1 });
    expect((await readRun(bench, first.id)).nodes).toMatchObject({ run: 1, skipped: 1 });
    await bench.node("from miranda import *\n\nclass Other(Node):\n    def run(self):\n        pass\n", "Other");
    await releaseAgain(bench, "Second");
    const second = await calls.done({ number: 2 });
    expect(second).toMatchObject({ state: "done", app: { release: 2 } });
    await expect
      .poll(async () => (await sessionsOf(id)).map(({ state }) => state), { timeout: 20_000 })
      .toEqual(["EXITED", "READY"]);
  });

  it("wait for a session when all are busy, and are refused when the queue is full", async () => {
    const bench = await Workbench.open(server);
    await bench.node(
      `from miranda import *

class Sleep(Node):
    seconds = Field(1.0, control=Number())
    slept = Transmitter()
    def run(self):
        import time
        time.sleep(self.seconds)
        self.slept.send(self.seconds)
`,
      "Sleep",
    );
    await serveAsProposed(bench, { name: "sleeps", at_once: 1, queue_max: 2 });
    const calls = callsOf(bench.owner, "sleeps");
    const [first, second, third] = [
      await calls.made({ seconds: 1 }),
      await calls.made({ seconds: 0.01 }),
      await calls.made({ seconds: 0.02 }),
    ];
    const refused = await calls.send({ seconds: 0 });
    expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
    expect((await calls.cancel(second.id)).status).toBe(200);
    expect(await calls.read(second.id)).toMatchObject({ state: "stopped", position: null });
    expect(await calls.ended(first.id)).toMatchObject({ state: "done", result: { slept: 1 } });
    expect(await calls.ended(third.id)).toMatchObject({ state: "done", result: { slept: 0.02 } });
    expect(await calls.read(second.id)).toMatchObject({ state: "stopped", result: {} });
  });

  it("end with a reason when they are cancelled, take too long, or their worker dies", async () => {
    const bench = await Workbench.open(server);
    await bench.node(
      `from miranda import *

class Do(Node):
    what = Field("sleep", control=Select("sleep", "die", "fail", "ask"))
    done = Transmitter()
    def run(self):
        import os, time
        if self.what == "sleep":
            time.sleep(60)
        if self.what == "die":
            os.kill(os.getppid(), 9)
            time.sleep(60)
        if self.what == "ask":
            input("Who?")
        raise ValueError("it is " + self.what)
`,
      "Do",
    );
    const { id } = await serveAsProposed(bench, { name: "does", at_once: 1 });
    const calls = callsOf(bench.owner, "does");
    const running = await calls.made({ what: "sleep" });
    await expect.poll(async () => (await calls.read(running.id)).state, { timeout: 20_000 }).toBe("running");
    expect((await calls.cancel(running.id)).status).toBe(200);
    expect(await calls.ended(running.id)).toMatchObject({ state: "stopped" });
    expect((await readRun(bench, running.id)).reason).toBe("Cancelled.");
    const failed = await calls.done({ what: "fail" });
    expect(failed.state).toBe("failed");
    expect((await readRun(bench, failed.id)).reason).toBe("ValueError: it is fail");
    const asked = await calls.done({ what: "ask" });
    expect((await readRun(bench, asked.id)).reason).toContain("Nobody can answer a question in an app.");
    expect(await sessionsOf(id)).toHaveLength(1);
    const died = await calls.done({ what: "die" });
    expect(died.state).toBe("crashed");
    await deploymentOf(bench.owner, bench.graphId).changed({ call_seconds: 1 });
    const late = await calls.done({ what: "sleep" });
    expect(late.state).toBe("stopped");
    expect((await readRun(bench, late.id)).reason).toBe("It was stopped: a run of this app may take at most 1 s.");
    expect(await sessionsOf(id)).toHaveLength(2);
  });
});
