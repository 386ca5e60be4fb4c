import { runArgs, sampleArgs, startArgs } from "@miranda/contract/command-args.ts";
import { logsEvent } from "@miranda/contract/events.ts";
import type {
  ActedEvent,
  Job,
  LogEntry,
  NodeRun,
  PlanEvent,
  SampleEvent,
} from "@miranda/contract/schemas/processors.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { SocketListener, giveToken, listen, script, Workbench } from "../../testing/workbench.ts";

const source = `from miranda import *

class Rows(Node):
    rows = Transmitter("table")
    def run(self):
        print("rows", end=" ")
        print("made")
        self.log.info("logged")
        self.rows.send([{"tide": at, "name": "spring"} for at in range(200)])
`;

const sum = `import time
from miranda import *

class Sum(Node):
    rows = Receiver("table")
    total = Transmitter("number")
    def run(self):
        time.sleep(0.5)
        print("summed")
        self.total.send(sum(row["tide"] for row in self.rows))
`;

let server: TestServer;
let bench: Workbench;
let first: number;
let second: number;
beforeAll(async () => {
  server = await startTestServer();
  bench = await Workbench.open(server);
  first = await bench.node(source, "Rows");
  second = await bench.node(sum, "Sum");
  await bench.edge(first, "rows", second, "rows");
  await bench.start();
  await bench.run();
});
afterAll(async () => {
  bench.close();
  await server.close();
});

let since = 0;
beforeEach(() => {
  since = bench.listener.received.length;
});

describe("what a run records", () => {
  it("is each node's own time, for everybody who may read", async () => {
    const reader = await server.signUp();
    const runs = (await reader.get(`/api/v3/jobs/${bench.jobId}/nodes`)).json<NodeRun[]>();
    const of = (id: number) => runs.find(({ wob_key }) => wob_key === id);
    expect(of(first)).toMatchObject({ status: "done", run: 1, fires: 1 });
    expect(of(second)?.seconds).toBeGreaterThanOrEqual(0.5);
    expect(of(first)?.seconds).toBeLessThan(of(second)?.seconds ?? 0);
    const nodeRuns = bench.listener
      .all<{ job_id: string; nodes: NodeRun[] }>("node_runs")
      .flatMap(({ nodes }) => nodes);
    expect(nodeRuns).toContainEqual(of(second));
  });

  it("is the node of each line, fetched and published alike", async () => {
    const nodesOf = (entries: LogEntry[]) =>
      entries.flatMap(({ message, wob_key }) => message.split("\n").map((line) => [line, wob_key]));
    const expected = [
      ["rows made", first],
      ["logged", first],
      ["summed", second],
    ];
    const isOurs = ([line]: (string | number | undefined)[]) => expected.some(([words]) => words === line);
    expect(nodesOf(await bench.logs()).filter(isOurs)).toEqual(expected);
    const received = nodesOf(bench.listener.all<LogEntry[]>(logsEvent(bench.jobId)).flat());
    expect(received.filter(isOurs)).toEqual(expected);
  });

  it("is the node of each line in a flood too", async () => {
    const noisy = `from miranda import *
class Noisy(Node):
    go = Receiver(optional=True)
    on = Transmitter()
    def run(self):
        for at in range(20000):
            print("NAME", at)
        self.on.send(1)
`;
    const flood = await Workbench.open(server);
    const one = await flood.node(noisy.replace("NAME", "one"), "One");
    const two = await flood.node(noisy.replace("NAME", "two"), "Two");
    await flood.edge(one, "on", two, "go");
    await flood.start();
    await flood.run();
    const wrong = (await flood.logs("?log_lines=1000000")).filter(({ message, wob_key }) => {
      const words = new Set(message.split("\n").map((line) => line.split(" ")[0]));
      return (words.has("one") && wob_key !== one) || (words.has("two") && wob_key !== two);
    });
    expect(wrong).toEqual([]);
    await flood.until("stop", "", "EXITED");
    flood.close();
  });
});

describe("the sample of an edge", () => {
  const ask = async (node: number, transmitter: string) => {
    const from = bench.listener.received.length;
    expect((await bench.send("sample", sampleArgs({ node, transmitter }))).status).toBe(200);
    return bench.listener.wait<SampleEvent>("sample", () => true, from);
  };

  it("has its kind, size and beginning", async () => {
    const rows = await ask(first, "rows");
    expect(rows).toMatchObject({ kind: "table", size: "200 rows × 2 columns", sent: 1, wob_key: first });
    expect((rows.value as unknown[])[0]).toEqual({ tide: 0, name: "spring" });
    expect((rows.value as unknown[]).length).toBeLessThanOrEqual(50);
    expect(await ask(second, "total")).toMatchObject({ kind: "number", value: 19_900 });
  });

  it("is empty where nothing was sent, and an unknown node is no error", async () => {
    expect(await ask(first, "nothing")).toMatchObject({ kind: null, sent: 0, error: null });
    expect(await ask(1, "rows")).toMatchObject({ kind: null });
  });

  it("is hidden from readers, who may not ask for it", async () => {
    const other = await server.signUp();
    await giveToken(other);
    const listener = await listen(server, other, bench.graphId);
    const path = `/api/v3/graphs/${bench.graphId}/processor/sample`;
    const args = sampleArgs({ node: first, transmitter: "rows" });
    expect((await other.post(path, { args })).status).toBe(403);
    await ask(first, "rows");
    expect(await listener.wait<SampleEvent>("sample")).toMatchObject({ kind: "table", value: null });
    listener.close();
  });

  it.each(["", "%%%", btoa("{}"), btoa('{"node":"x","transmitter":"y"}'), btoa('{"node":1,"transmitter":""}')])(
    "with %s is refused",
    async (args) => {
      expect((await bench.send("sample", args)).status).toBe(400);
    },
  );
});

describe("the plan", () => {
  it("names its run, so that two people who ask at once get their own", async () => {
    await bench.send("plan", runArgs({ mode: "all" }));
    await bench.send("plan", runArgs({ mode: "to", node: first }));
    const all = await bench.listener.wait<PlanEvent>("plan", ({ mode }) => mode === "all", since);
    expect(all.plan.every(({ run, reason }) => run && reason === "Everything runs.")).toBe(true);
    const upTo = await bench.listener.wait<PlanEvent>("plan", ({ mode }) => mode === "to", since);
    expect(upTo.target).toBe(first);
    expect(upTo.plan.find(({ wob_key }) => wob_key === second)).toMatchObject({ run: false });
  });
});

it("publishes the start of a very short run before its end", async () => {
  const brief = await Workbench.open(server);
  await brief.node(script("pass"));
  await brief.start();
  for (let run = 1; run <= 30; run++) {
    const from = brief.listener.received.length;
    expect((await brief.send("run", runArgs({ mode: "all" }))).status).toBe(200);
    await brief.listener.wait<{ nodes: NodeRun[] }>(
      "node_runs",
      ({ nodes: [one] }) => one?.run === run && one.status === "done",
    );
    const states = brief.listener.received.slice(from).filter(({ event }) => event === "update[DOCKER_JOB]");
    expect(states.map(({ data }) => (data as Job).workflow_state)).toContain("RUNNING");
    await expect.poll(async () => (await brief.job()).workflow_state).toBe("READY");
  }
  brief.close();
});

describe("who gave a command", () => {
  it("is published to everybody in the graph by name, readers too", async () => {
    const editor = await server.signUp("pilot");
    await giveToken(editor);
    await bench.owner.post(`/api/v3/projects/${bench.projectId}/members`, { user: "pilot", role: "editor" });
    const reader = await server.signUp();
    const listener = await listen(server, reader, bench.graphId);
    await bench.until("start", startArgs(undefined, { [first]: [6] }), "RESUMEREADY");
    const path = `/api/v3/graphs/${bench.graphId}/processor`;
    // A usage update from before the start would be READY too.
    const paused = bench.listener.received.length;
    expect((await editor.post(`${path}/continue`)).status).toBe(200);
    const continued = (event: ActedEvent) => event.command === "continue";
    for (const one of [bench.listener, listener])
      expect(await one.wait<ActedEvent>("acted", continued)).toMatchObject({
        job_id: bench.jobId,
        by: { username: "pilot" },
      });
    await bench.state(paused, "READY");
    expect(bench.listener.all<ActedEvent>("acted").map(({ command }) => command)).not.toContain("plan");
    listener.close();
  });
});

describe("a log", () => {
  it("is read in windows by number, both ways, without a gap", async () => {
    const all = (await bench.job()).logs.flatMap(({ id, message }) =>
      message.split("\n").map((line, at): [number, string] => [id + at, line]),
    );
    const last = all.at(-1)?.[0] ?? 0;
    const read = async (query: string) => {
      const { logs } = (await bench.owner.get(`/api/v3/jobs/${bench.jobId}?${query}`)).json<Job>();
      return logs.flatMap(({ id, message }) =>
        message.split("\n").map((line, at): [number, string] => [id + at, line]),
      );
    };
    expect(await read(`before=${last}&log_lines=2`)).toEqual(all.slice(-3, -1));
    expect(await read(`before=2&log_lines=100`)).toEqual(all.slice(0, 1));
    expect(await read(`before=1&log_lines=100`)).toEqual([]);
    expect(await read(`before=${last + 100}&log_lines=1`)).toEqual(all.slice(-1));
    expect(await read(`after=1&before=4&log_lines=100`)).toEqual(all.slice(1, 3));
    expect((await bench.owner.get(`/api/v3/jobs/${bench.jobId}?before=x`)).status).toBe(400);
  });

  it("reaches people who watch its graph without being shown there; strangers are refused", async () => {
    const watcher = await server.signUp("watcher");
    const cookie = [...watcher.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const watching = new SocketListener(server.url, cookie);
    expect(await watching.socket.emitWithAck("watch_project", bench.graphId)).toBeNull();
    const listener = await listen(server, await server.signUp(), bench.graphId);
    const { members } = await listener.wait<{ members: { username: string }[] }>("project_members");
    expect(members.map(({ username }) => username)).not.toContain("watcher");
    await bench.until("run", runArgs({ mode: "all", breakpoints: {} }), "RUNNING");
    expect(await watching.wait<LogEntry[]>(logsEvent(bench.jobId))).not.toEqual([]);
    await bench.state(bench.listener.received.length - 1, "READY");

    await bench.owner.patch(`/api/v3/projects/${bench.projectId}`, { visibility: "private" });
    await watching.wait("evicted");
    expect(await watching.socket.emitWithAck("watch_project", bench.graphId)).toBe("Workflow not found.");
    listener.close();
    watching.close();
  });
});

it("uses the installation's currency sign", async () => {
  const settings = await bench.owner.get("/api/v3/settings");
  expect(settings.json()).toMatchObject({ currency: "$", processor_host: null, docs_url: null });
});
