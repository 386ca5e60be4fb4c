import type { JobSummary, LogEntry } from "@miranda/contract/schemas/processors.ts";
import { logsEvent } from "@miranda/contract/events.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { newId } from "../platform/crypto.ts";
import { markedBy } from "../engines/processes.ts";
import { isAvailable, openEngineUnderTest, type EngineUnderTest } from "../testing/engine-under-test.ts";
import { SocketListener, script, type Workbench } from "../testing/workbench.ts";
import { TcpProxy, expectEverySample, FaultBench, receivedNumber, numbersOf, printing, upTo } from "./fault-bench.ts";

const quick = {
  MIRANDA_HEARTBEAT_SECONDS: "0.5",
  MIRANDA_LOST_SECONDS: "2",
  MIRANDA_GRACE_SECONDS: "1",
  MIRANDA_PROCESSORS: "1",
  MIRANDA_PROCESSORS_PER_ACCOUNT: "1",
};

const expectWhole = async (bench: Workbench): Promise<number> => {
  const all = await numbersOf(bench);
  expect(all).toEqual(upTo(all.length));
  return all.length;
};

for (const name of ["local", "docker"] as const)
  describe.skipIf(!isAvailable(name))(`on the engine ${name}`, () => {
    let underTest: EngineUnderTest;
    let fault: FaultBench;
    beforeAll(async () => {
      underTest = await openEngineUnderTest(name);
    });
    afterAll(() => underTest.close());
    afterEach(() => fault.close());

    describe("kill -9 of the server", () => {
      it("leaves no gap or duplicate at 10,000 lines a second, and goes on charging (fault 1)", async () => {
        fault = await underTest.server(quick);
        let bench = await fault.workbench();
        await bench.node(printing(8));
        await bench.start();
        await bench.until("start", "-1", "RUNNING");
        await receivedNumber(bench, 15_000);
        const before = (await bench.job()).total_cost ?? 0;
        await fault.server.kill("SIGKILL");
        await sleep(1_500);
        await fault.restart();
        bench = await fault.follow(bench);
        expect((await bench.job()).workflow_state).toBe("RUNNING");
        await bench.state(0, "READY");
        expect(await expectWhole(bench)).toBe(80_000);
        const { total_cost } = await bench.job();
        expect(total_cost).toBeGreaterThan(before);
        const samples = await expectEverySample(fault, bench.jobId);
        for (const { seconds } of samples.slice(1)) expect(seconds).toBeLessThan(4);
        bench.close();
      });

      it("records the true end and last lines of a run that ends meanwhile, and charges nothing after it (fault 2)", async () => {
        fault = await underTest.server(quick);
        let bench = await fault.workbench();
        await bench.node(
          script("import time, os", "print('begun')", "time.sleep(1)", "print('last words')", "os._exit(4)"),
        );
        await bench.start();
        await bench.until("start", "-1", "RUNNING");
        await bench.listener.wait<LogEntry[]>(logsEvent(bench.jobId), (entries) =>
          entries.some(({ message }) => message.includes("begun")),
        );
        const alive = (Date.now() - Date.parse((await bench.job()).time_created)) / 1_000;
        await fault.server.kill("SIGKILL");
        await sleep(4_500);
        await fault.restart();
        bench = await fault.follow(bench);
        await expect.poll(async () => (await bench.job()).workflow_state, { timeout: 15_000 }).toBe("ERROR");
        const texts = (await bench.lines()).map(([, text]) => text);
        expect(texts.slice(-2)[0]).toBe("last words");
        expect(texts.at(-1)).toMatch(/exit code 4/);
        const samples = await expectEverySample(fault, bench.jobId);
        // It lived for another second, and not while the server was away.
        expect(samples.reduce((sum, { seconds }) => sum + seconds, 0)).toBeLessThan(alive + 3);
        bench.close();
      });

      it("hangs nowhere when the network is cut as agents come back, and stop works (fault 3)", async () => {
        const address = underTest.docker?.lan.hostAddress ?? "127.0.0.1";
        const proxy = await TcpProxy.open(() => {
          const { hostname, port } = new URL(fault.server.url);
          return { host: hostname, port: Number(port) };
        }, address);
        fault = await underTest.server({ ...quick, MIRANDA_RUNNER_URL: `http://${address}:${proxy.port}` });
        let bench = await fault.workbench();
        await bench.node(script("import time", "time.sleep(300)"));
        await bench.start();
        await bench.until("start", "-1", "RUNNING");
        await fault.server.kill("SIGKILL");
        proxy.shut();
        await fault.restart();
        bench = await fault.follow(bench);
        expect((await bench.job()).workflow_state).toBe("RUNNING");
        const since = bench.listener.received.length;
        await bench.owner.put(`/api/v3/jobs/${bench.jobId}/cancel`);
        await bench.state(since, "EXITED");
        expect(await markedBy(`MIRANDA_JOB=${bench.jobId}`)).toEqual([]);
        bench.close();
        proxy.close();
      });

      it("changes no finished session (fault 4)", async () => {
        fault = await underTest.server(quick);
        const bench = await fault.workbench();
        const ended = new Date(Date.now() - 60_000);
        const rows = Array.from({ length: 300 }, (_, at) => ({
          id: newId(),
          tag: at,
          graph_id: bench.graphId,
          account_id: bench.owner.account.id,
          name: "x",
          engine: name,
          state: at % 3 === 0 ? ("ERROR" as const) : ("EXITED" as const),
          total_cost: 1,
          token_hash: null,
          ended_at: ended,
          seen_at: ended,
          engine_ref: JSON.stringify(name === "local" ? { pid: 1, start: "1" } : { container: "gone" }),
        }));
        await fault.database.db.insertInto("jobs").values(rows).execute();
        await fault.server.kill("SIGKILL");
        await fault.restart();
        await sleep(3_000);
        const after = await fault.database.db.selectFrom("jobs").select(["id", "state"]).execute();
        const states = new Map(after.map(({ id, state }) => [id, state]));
        expect(rows.every(({ id, state }) => states.get(id) === state)).toBe(true);
        bench.close();
      });
    });

    describe("SIGTERM with sessions queued (fault 25)", () => {
      it("keeps them queued after the restart, and the running one runs", async () => {
        fault = await underTest.server(quick);
        const running = await fault.workbench();
        await running.node(script("pass"));
        await running.start();
        const queued = await fault.workbench();
        const made = await queued.owner.post(`/api/v3/graphs/${queued.graphId}/processor`, { tag: 5 });
        queued.jobId = made.json<{ id: string }>().id;
        expect((await queued.job()).workflow_state).toBe("QUEUED");
        await fault.server.kill("SIGTERM");
        await fault.restart();
        const back = await fault.follow(queued);
        expect((await back.job()).workflow_state).toBe("QUEUED");
        const first = await fault.follow(running);
        expect((await first.run()).workflow_state).toBe("READY");
        const since = back.listener.received.length;
        await first.until("stop", "", "EXITED");
        await back.state(since, "READY");
        first.close();
        back.close();
      });
    });

    it("shows the same summary of a job before and after a restart", async () => {
      fault = await underTest.server(quick);
      let bench = await fault.workbench();
      await bench.start();
      const before: JobSummary = await bench.job();
      await fault.server.kill("SIGKILL");
      await fault.restart();
      bench = await fault.follow(bench);
      const after = await bench.job();
      expect(after).toMatchObject({
        id: before.id,
        tag: before.tag,
        workflow_state: "READY",
        container_id: before.container_id,
      });
      bench.close();
    });
  });

describe("restart with 500 sockets (fault 24)", () => {
  it("reconnects all, and continues each log from its own line number", async () => {
    const fault = await FaultBench.open(quick);
    onTestFinished(() => fault.close());
    const proxy = await TcpProxy.open(() => {
      const { hostname, port } = new URL(fault.server.url);
      return { host: hostname, port: Number(port) };
    });
    let bench = await fault.workbench();
    await bench.node(printing(12));
    await bench.start();
    await fault.database.db.updateTable("accounts").set({ credits: 1e6 }).execute();
    // One account may hold 250 connections: three accounts, all in the graph.
    const others = [await fault.workbench(), await fault.workbench()];
    const cookies = [bench, ...others].map(({ owner }) =>
      [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
    );
    const listeners = Array.from(
      { length: 500 },
      (_, at) => new SocketListener(`http://127.0.0.1:${proxy.port}`, cookies[at % cookies.length] ?? ""),
    );
    const entering = (listener: SocketListener): Promise<void> => listener.enter(bench.graphId);
    await Promise.all(listeners.map(entering));
    const back = listeners.map(
      (listener) => new Promise<void>((resolve) => listener.socket.io.once("reconnect", () => resolve())),
    );
    await bench.until("start", "-1", "RUNNING");
    await receivedNumber(bench, 5_000);
    const last = (await bench.job()).logs.at(-1) as LogEntry;
    const from = last.id + last.message.split("\n").length - 1;
    await fault.server.kill("SIGKILL");
    await fault.restart();
    await Promise.all(back);
    bench = await fault.follow(bench);
    await expect.poll(async () => (await bench.job()).workflow_state, { timeout: 60_000 }).toBe("READY");
    const rest = await bench.logs(`?after=${from}`);
    expect(rest[0]?.id).toBe(from + 1);
    expect(await expectWhole(bench)).toBe(120_000);
    for (const listener of listeners) listener.close();
    for (const other of others) other.close();
    bench.close();
    proxy.close();
  });
});
