import type { CommandEvent } from "@miranda/contract/schemas/processors.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, it } from "vitest";

import { isAvailable, openEngineUnderTest } from "../testing/engine-under-test.ts";
import { script } from "../testing/workbench.ts";
import { TcpProxy, expectEverySample, FaultBench, receivedNumber, numbersOf, printing, upTo } from "./fault-bench.ts";

// With the default timeouts, and concurrently: most of it is waiting.
describe.concurrent("silence", { timeout: 240_000 }, () => {
  for (const name of ["local", "docker"] as const)
    it.skipIf(!isAvailable(name))(
      `does not declare a node lost that computes for a minute on the engine ${name} (fault 7)`,
      async ({ expect, onTestFinished }) => {
        const underTest = await openEngineUnderTest(name);
        onTestFinished(() => underTest.close());
        const fault = await underTest.server({ MIRANDA_HEARTBEAT_SECONDS: "10", MIRANDA_LOST_SECONDS: "30" });
        onTestFinished(() => fault.close());
        const bench = await fault.workbench();
        await bench.node(
          script(
            "import os, time",
            "os.nice(19)",
            "until = time.monotonic() + 60",
            "while time.monotonic() < until: pass",
          ),
        );
        await bench.start();
        expect((await bench.run()).workflow_state).toBe("READY");
        bench.close();
      },
    );

  it("ends no healthy processor while the server is stopped for 90 s (fault 8)", async ({ expect, onTestFinished }) => {
    const fault = await FaultBench.open();
    onTestFinished(() => fault.close());
    const bench = await fault.workbench();
    await bench.node(printing(100, 1_000));
    await bench.start();
    await bench.until("start", "-1", "RUNNING");
    await receivedNumber(bench, 1_000);
    process.kill(fault.server.pid, "SIGSTOP");
    await sleep(90_000);
    process.kill(fault.server.pid, "SIGCONT");
    await expect.poll(async () => (await bench.job()).workflow_state, { timeout: 60_000 }).toBe("READY");
    expect(await numbersOf(bench)).toEqual(upTo(100_000));
    bench.close();
  });

  it("loses no state, line or cost while PostgreSQL is silent for 60 s under load, and /readyz says so (fault 15)", async ({
    expect,
    onTestFinished,
  }) => {
    let socket = "";
    const proxy = await TcpProxy.open(() => ({ path: socket }));
    const fault = await FaultBench.open({}, (url) => {
      const given = new URL(url);
      socket = `${decodeURIComponent(given.hostname)}/.s.PGSQL.${given.port}`;
      given.hostname = "127.0.0.1";
      given.port = String(proxy.port);
      return given.href;
    });
    onTestFinished(async () => {
      await fault.close();
      proxy.close();
    });
    const bench = await fault.workbench();
    await bench.node(printing(80, 5_000));
    await bench.start();
    await bench.until("start", "-1", "RUNNING");
    await receivedNumber(bench, 1_000);
    const ready = async (): Promise<number> => (await fetch(`${fault.server.url}/readyz`)).status;
    expect(await ready()).toBe(200);
    proxy.shut();
    const others = { answered: 0, failed: 0 };
    const until = Date.now() + 60_000;
    while (Date.now() < until) {
      const { status } = await bench.owner.get("/api/v3/projects/");
      if (status === 200) others.answered += 1;
      else others.failed += 1;
      await sleep(500);
    }
    expect(others.answered).toBe(0);
    expect(await ready()).toBe(503);
    expect((await fetch(`${fault.server.url}/healthz`)).status).toBe(200);
    proxy.reopen();
    await expect.poll(ready, { timeout: 20_000 }).toBe(200);
    await expect.poll(async () => (await bench.job()).workflow_state, { timeout: 60_000 }).toBe("READY");
    expect(await numbersOf(bench)).toEqual(upTo(400_000));
    await expectEverySample(fault, bench.jobId);
    bench.close();
  });

  it("reports that a setup longer than the wait continues in the background, and when it is done", async ({
    expect,
    onTestFinished,
  }) => {
    const fault = await FaultBench.open();
    onTestFinished(() => fault.close());
    const bench = await fault.workbench();
    await bench.node(
      "from miranda import *\nimport time\nclass Slow(Node):\n    def setup(self): time.sleep(56); print('ready at last')\n    def run(self): pass\n",
    );
    await bench.start();
    const since = bench.listener.received.length;
    await bench.send("run-setup");
    expect(await bench.listener.wait<CommandEvent>("run-setup", () => true, since)).toMatchObject({ error: null });
    expect((await bench.job()).workflow_state).toBe("RUNNING");
    expect((await bench.lines()).at(-1)?.[1]).toMatch(/goes on in the background/);
    await expect.poll(async () => (await bench.job()).workflow_state, { timeout: 30_000 }).toBe("READY");
    expect((await bench.lines()).slice(-3).map(([, text]) => text)).toEqual([
      "ready at last",
      "Node is set up.",
      "Node setup is done.",
    ]);
    bench.close();
  });
});
