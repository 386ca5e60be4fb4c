import type { JobsResponse, JobSummary, NodeRun } from "@miranda/contract/schemas/processors.ts";
import { canTransition, type WorkflowState } from "@miranda/contract/processor.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { descendantsOf, markedBy } from "../../engines/processes.ts";
import { signal } from "../../testing/services/signal.ts";
import { agentOf } from "../../testing/engine-under-test.ts";
import { readConfig } from "../../platform/settings/config.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { TestClient } from "../../testing/test-client.ts";
import { script, Workbench } from "../../testing/workbench.ts";

const quick = {
  MIRANDA_HEARTBEAT_SECONDS: "0.3",
  MIRANDA_LOST_SECONDS: "1",
  MIRANDA_GRACE_SECONDS: "1",
  MIRANDA_PROCESSOR_PROCESSES: "60",
  MIRANDA_PROCESSOR_DISK_GB: "0.02",
  MIRANDA_PROCESSORS_PER_ACCOUNT: "16",
};

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ processors: readConfig(quick).processors });
});
afterAll(() => server.close());

const processesOf = async (jobId: string) =>
  (await markedBy(`MIRANDA_JOB=${jobId}`)).filter(({ isZombie }) => !isZombie);
const lastLine = async (bench: Workbench) => (await bench.lines()).at(-1)?.[1];

describe("a processor that misbehaves", () => {
  it("ends a fork bomb within its limits", { timeout: 40_000 }, async () => {
    const bench = await Workbench.open(server);
    await bench.node(
      script(
        "import os, time",
        "for _ in range(200):",
        "    if os.fork() == 0:",
        "        time.sleep(300)",
        "        os._exit(0)",
        "time.sleep(300)",
      ),
    );
    await bench.start();
    const since = bench.listener.received.length;
    await bench.until("start", "-1", "RUNNING");
    await bench.state(since, "ERROR");
    expect(await lastLine(bench)).toBe("The session was ended: it had more than 60 processes.");
    await expect.poll(async () => (await processesOf(bench.jobId)).length).toBe(0);
    bench.close();
  });

  it("refuses a file that fills its disk, and ends the session for its folder", { timeout: 40_000 }, async () => {
    const bench = await Workbench.open(server);
    const node = await bench.node(script("open('big', 'wb').write(b'x' * 30_000_000)"));
    await bench.start();
    await bench.run();
    const exception = await bench.listener.wait<{ traceback: string }>("exception");
    expect(exception.traceback).toMatch(/File too large/);
    await bench.code(
      node,
      script("import time", "for n in range(5): open(f'part{n}', 'wb').write(b'x' * 8_000_000)", "time.sleep(300)"),
    );
    const since = bench.listener.received.length;
    await bench.until("start", "-1", "RUNNING");
    await bench.state(since, "ERROR");
    expect(await lastLine(bench)).toMatch(/more than its 0.02 GB of disk/);
    bench.close();
  });

  it("becomes ERROR with the reason when it is killed with its agent, and leaves nothing behind", async () => {
    const bench = await Workbench.open(server);
    await bench.node(script("import subprocess, time", "subprocess.Popen(['sleep', '300'])", "time.sleep(300)"));
    await bench.start();
    await bench.until("start", "-1", "RUNNING");
    await expect.poll(async () => (await processesOf(bench.jobId)).length).toBeGreaterThanOrEqual(3);
    const since = bench.listener.received.length;
    signal(await agentOf(bench.jobId), "SIGKILL");
    await bench.state(since, "ERROR");
    expect(await lastLine(bench)).toMatch(/process is gone/);
    await expect.poll(async () => (await processesOf(bench.jobId)).length).toBe(0);
    bench.close();
  });
});

describe("a run that is cut short", () => {
  const slow = `import time
from miranda import *
class Slow(Node):
    on = Transmitter()
    def run(self): time.sleep(300)
`;
  const after = `from miranda import *
class After(Node):
    go = Receiver()
    def run(self): pass
`;

  const kill = (pids: number[]) => pids.forEach((pid) => signal(pid, "SIGKILL"));

  it.each([
    ["a stop", (cut: Workbench) => cut.send("stop"), "EXITED", "stopped"],
    ["Force Stop", (cut: Workbench) => cut.owner.put(`/api/v3/jobs/${cut.jobId}/cancel`), "EXITED", "stopped"],
    [
      "its worker's end",
      async (cut: Workbench) => kill((await descendantsOf(await agentOf(cut.jobId))).map(({ pid }) => pid)),
      "ERROR",
      "error",
    ],
    ["its agent's end", async (cut: Workbench) => kill([await agentOf(cut.jobId)]), "ERROR", "stopped"],
    ["a restart", (cut: Workbench) => cut.send("restart"), "READY", "stopped"],
  ] as const)("by %s leaves no node that seems to run or to wait", async (_what, end, state, cutShort) => {
    const cut = await Workbench.open(server);
    const [running, waiting] = [await cut.node(slow, "Slow"), await cut.node(after, "After")];
    await cut.edge(running, "on", waiting, "go");
    await cut.start();
    await cut.until("start", "-1", "RUNNING");
    const { jobId } = cut;
    const isRunning = (event: { wob_key: number | null }) => event.wob_key === running;
    await cut.listener.wait("running_node", isRunning);
    const from = cut.listener.received.length;
    await end(cut);
    await cut.listener.wait<{ wob_key: number | null }>("running_node", ({ wob_key }) => wob_key === null, from);
    // The agent may first tell that nothing runs, and in its next message how the nodes ended.
    const told = () => cut.listener.all<{ nodes: NodeRun[] }>("node_runs").at(-1)?.nodes;
    await expect
      .poll(() =>
        told()
          ?.map(({ status }) => status)
          .toSorted(),
      )
      .toEqual([cutShort, "idle"].toSorted());
    const runs = (await cut.owner.get(`/api/v3/jobs/${jobId}/nodes`)).json<NodeRun[]>();
    expect(new Map(runs.map(({ wob_key, status }) => [wob_key, status]))).toEqual(
      new Map([
        [running, cutShort],
        [waiting, "idle"],
      ]),
    );
    const statuses = await server.db
      .selectFrom("nodes")
      .select(["metadata_id", "status"])
      .where("graph_id", "=", cut.graphId)
      .orderBy("metadata_id")
      .execute();
    expect(statuses.map(({ status }) => status)).toEqual([cutShort, "idle"]);
    await cut.state(from, state);
    cut.close();
  });
});

describe("a stored pid", () => {
  it("of another server's machine is ignored until its agent must have given up", async () => {
    const bench = await Workbench.open(server);
    await bench.store("local", { pid: 1, start: "1", host: "another-machine" }, new Date(Date.now() - 60_000));
    // At least two rounds of the watch.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect((await bench.job()).workflow_state).toBe("READY");
    await server.db
      .updateTable("jobs")
      .set({ seen_at: new Date(0) })
      .where("id", "=", bench.jobId)
      .execute();
    await bench.state(0, "ERROR");
    bench.close();
  });
});

describe("the database", () => {
  it("without room for the log keeps the API up, and the session waits with its lines until there is room (fault 23)", async () => {
    const bench = await Workbench.open(server);
    await bench.node(script("import time", "for at in range(300): print('line', at); time.sleep(0.005)"));
    const idle = await Workbench.open(server);
    await idle.start();
    await bench.start();
    await sql`create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'No space left on device' using errcode = '53100'; end $$`.execute(server.db);
    await sql`create trigger full_disk before insert on log_chunks for each row execute function refuse()`.execute(
      server.db,
    );
    const since = bench.listener.received.length;
    await bench.send("start", "-1");
    // Longer than a session may be silent.
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    expect((await bench.owner.get("/api/v3/projects/")).status).toBe(200);
    await sql`drop function refuse cascade`.execute(server.db);
    await bench.state(since, "READY");
    const texts = (await bench.lines()).map(([, text]) => text);
    expect(texts.filter((text) => text.startsWith("line "))).toEqual(
      Array.from({ length: 300 }, (_, at) => `line ${at}`),
    );
    expect(texts.filter((text) => text.startsWith("The disk that holds the logs was full"))).toHaveLength(1);
    expect((await idle.job()).workflow_state).toBe("READY");
    idle.close();
    bench.close();
  });
});

describe("many commands at once", () => {
  it(
    "leave no process when sessions are started and stopped 12 times during launch (fault 9; 100 times in the long suite)",
    { timeout: 60_000 },
    async () => {
      const bench = await Workbench.open(server);
      const ids: string[] = [];
      for (let at = 0; at < 12; at++) {
        const since = bench.listener.received.length;
        const made = await bench.owner.post(`/api/v3/graphs/${bench.graphId}/processor`, { tag: at + 1 });
        bench.jobId = made.json<{ id: string }>().id;
        ids.push(bench.jobId);
        await bench.owner.put(`/api/v3/jobs/${bench.jobId}/cancel`);
        await bench.state(since, "EXITED");
      }
      for (const id of ids.slice(-5))
        await expect.poll(async () => (await processesOf(id)).length, { timeout: 10_000 }).toBe(0);
      const left = await Promise.all(ids.map(processesOf));
      expect(left.flat()).toEqual([]);
      bench.close();
    },
  );

  it("never break the state machine: a thousand from ten people", { timeout: 120_000 }, async () => {
    const bench = await Workbench.open(server);
    await bench.node(script("print('x')"));
    const commands = ["start", "stop", "restart", "continue", "info", "pause", "clear"];
    const statuses = new Set<number>();
    await Promise.all(
      Array.from({ length: 10 }, async (_, person) => {
        for (let at = 0; at < 100; at++) {
          const pick = (person * 7 + at * 3) % (commands.length + 1);
          const command = commands[pick];
          const answer = command
            ? await bench.send(command, command === "start" ? "-1" : "")
            : await bench.owner.post(`/api/v3/graphs/${bench.graphId}/processor`, { tag: person * 1000 + at + 1 });
          statuses.add(answer.status);
        }
      }),
    );
    expect([...statuses].filter((status) => ![200, 404, 409].includes(status))).toEqual([]);
    const current = (await bench.owner.get(`/api/v3/graphs/${bench.graphId}/processor`)).json<JobSummary>();
    bench.jobId = current.id;
    await bench.owner.put(`/api/v3/jobs/${current.id}/cancel`);
    await expect
      .poll(async () => (await bench.owner.get(`/api/v3/jobs/${current.id}`)).json<JobSummary>().workflow_state, {
        timeout: 20_000,
      })
      .toMatch(/EXITED|ERROR/);
    const seen = new Map<string, WorkflowState>();
    for (const job of bench.listener.all<JobSummary>("update[DOCKER_JOB]")) {
      const before = seen.get(job.id);
      const ends = before === "EXITED" || before === "ERROR";
      expect(ends ? job.workflow_state : before).toBe(before);
      seen.set(job.id, job.workflow_state);
    }
    const listed = await bench.owner.get(`/api/v3/jobs?graph_id=${bench.graphId}`);
    expect(listed.json<JobsResponse>()).toMatchObject({ running: [], queued: [] });
    for (const id of seen.keys())
      await expect.poll(async () => (await processesOf(id)).length, { timeout: 15_000 }).toBe(0);
    expect(canTransition("EXITED", "READY")).toBe(false);
    bench.close();
  });

  it("the processor of a graph is its living one, even when another has a newer id", async () => {
    const bench = await Workbench.open(server);
    await bench.node(script("print('x')"));
    await bench.start();
    // Two were requested at once: the one with the newer id was created first, and has ended.
    await sql`
      insert into jobs (id, tag, graph_id, account_id, name, description, engine, demand, state, ended_at)
      select 'ffffffff-ffff-7fff-bfff-ffffffffffff', tag, graph_id, account_id, name, description, engine, demand, 'EXITED', now()
      from jobs where id = ${bench.jobId}`.execute(server.db);
    const since = bench.listener.received.length;
    expect((await bench.owner.get(`/api/v3/graphs/${bench.graphId}/processor`)).json<JobSummary>().id).toBe(
      bench.jobId,
    );
    expect((await bench.send("stop", "")).status).toBe(200);
    await bench.state(since, "EXITED");
    bench.close();
  });

  it("two servers on one database deliver one command to one agent once", async () => {
    const bench = await Workbench.open(server);
    // Long enough that the second command meets the first one's run on a slow machine.
    await bench.node(script("import time", "print('ran')", "time.sleep(4)"));
    await bench.start();
    // The agent stays with the first server. A command at the second must reach it there.
    const twin = await server.twin();
    const other = new TestClient(twin.url);
    for (const [name, value] of bench.owner.cookies) other.cookies.set(name, value);
    const since = bench.listener.received.length;
    const [one, two] = await Promise.all([
      other.post(`/api/v3/graphs/${bench.graphId}/processor/start`, { args: "-1" }),
      bench.send("start", "-1"),
    ]);
    expect(new Set([one.status, two.status])).toEqual(new Set([200, 409]));
    await bench.listener.wait("run_ended", () => true, since);
    expect((await bench.lines()).filter(([, text]) => text === "ran")).toHaveLength(1);
    // The worker and the lane in which the node ran.
    expect((await descendantsOf(await agentOf(bench.jobId))).length).toBe(2);
    bench.close();
    await twin.close();
  });
});

describe("old sessions", () => {
  it("are removed with their logs after the configured time", async () => {
    const bench = await Workbench.open(server);
    await bench.start();
    await bench.until("stop", "", "EXITED");
    const ended_at = new Date(Date.now() - 31 * 86_400_000);
    await server.db.updateTable("jobs").set({ ended_at }).where("id", "=", bench.jobId).execute();
    const twin = await server.twin();
    await expect.poll(async () => (await bench.owner.get(`/api/v3/jobs/${bench.jobId}`)).status).toBe(404);
    const left = await server.db.selectFrom("log_chunks").select("job_id").where("job_id", "=", bench.jobId).execute();
    expect(left).toEqual([]);
    await twin.close();
    bench.close();
  });

  it("keep their cost when their samples are removed", async () => {
    const bench = await Workbench.open(server);
    await bench.start();
    await bench.until("stop", "", "EXITED");
    const samples = server.db.selectFrom("usage_samples").where("job_id", "=", bench.jobId).selectAll();
    const { total_cost } = await bench.job();
    expect((await samples.execute()).length).toBeGreaterThan(0);
    const created_at = new Date(Date.now() - 4 * 86_400_000);
    await server.db.updateTable("usage_samples").set({ created_at }).where("job_id", "=", bench.jobId).execute();
    const twin = await server.twin();
    await expect.poll(async () => (await samples.execute()).length).toBe(0);
    expect((await bench.job()).total_cost).toBe(total_cost);
    const booked = server.db.selectFrom("ledger").select("amount").where("job_id", "=", bench.jobId);
    expect((await booked.executeTakeFirstOrThrow()).amount).toBeCloseTo(-(total_cost ?? 0), 9);
    await twin.close();
    bench.close();
  });
});
