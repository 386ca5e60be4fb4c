import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";

import { processesOf } from "../testing/engine-under-test.ts";
import { addOne, keptResults, planOf, ranNodes, resume, slowChain, slowNode } from "../testing/results/kept-results.ts";
import { FaultBench } from "./fault-bench.ts";
import { killWorkers } from "./results.ts";
import { smallDisk } from "./small-disk.ts";

const quick = { MIRANDA_HEARTBEAT_SECONDS: "0.5", MIRANDA_LOST_SECONDS: "2", MIRANDA_GRACE_SECONDS: "1" };
const isRoot = process.getuid?.() === 0;

describe("kept results", { timeout: 180_000 }, () => {
  let fault: FaultBench;
  afterEach(() => fault.close());

  it("let a run go on where its worker was killed", async () => {
    fault = await FaultBench.open(quick);
    const bench = await fault.workbench();
    expect(await killWorkers(fault, bench, 4)).toBe(4);
    bench.close();
  });

  it("survive a server that is killed while one is written: it is sent again, and no half of it is left", async () => {
    fault = await FaultBench.open(quick);
    let bench = await fault.workbench();
    // Large enough for a kill in its middle.
    await bench.node(slowNode("N1", "self.out.send(bytes(200_000_000))"), "N1");
    await bench.start();
    await bench.run();
    const folder = join(fault.dataFolder, "results", bench.projectId);
    const names = () => readdir(folder).catch(() => [] as string[]);
    await expect.poll(names, { interval: 5 }).not.toEqual([]);
    await fault.server.kill("SIGKILL");
    await fault.restart();
    bench = await fault.follow(bench);
    const [key = ""] = await keptResults(fault.database.db, bench.projectId, 1);
    expect((await names()).filter((name) => name.startsWith(`${key}-`))).toHaveLength(1);
    await bench.until("stop", "", "EXITED");
    await bench.start();
    await bench.until("run", resume, "READY");
    expect(await ranNodes(bench)).toEqual([]);
    bench.close();
  });

  it.skipIf(!isRoot)("are not written to a full disk, the run ends well, and the plan says why", async () => {
    const disk = smallDisk(40);
    fault = await FaultBench.open({ ...quick, MIRANDA_DISK_RESERVE_MB: "30" });
    // Only the results are on the small disk.
    await mkdir(join(fault.dataFolder, "results"), { recursive: true });
    const { execFileSync } = await import("node:child_process");
    execFileSync("mount", ["--bind", disk, join(fault.dataFolder, "results")]);
    try {
      const bench = await fault.workbench();
      const ids = await slowChain(bench, ["self.out.send(bytes(20_000_000))", "self.out.send(len(self.inp))"]);
      await bench.start();
      await bench.run();
      await keptResults(fault.database.db, bench.projectId, 1);
      const reason = async () => (await planOf(bench))[0]?.reason;
      await expect
        .poll(reason)
        .toBe("Nothing changed. It is not kept for later sessions: the server's disk has no room for it.");
      await bench.until("stop", "", "EXITED");
      await bench.code(ids[1] ?? 0, slowNode("N2", "self.out.send(len(self.inp) + 1)"));
      await bench.start();
      await bench.until("run", resume, "READY");
      expect(await ranNodes(bench)).toEqual(["N1", "N2"]);
      bench.close();
    } finally {
      execFileSync("umount", ["--lazy", join(fault.dataFolder, "results")]);
    }
  });

  it("do not delay a stop: a session that is stopped while it writes ends within its grace time", async () => {
    fault = await FaultBench.open(quick);
    const bench = await fault.workbench();
    await slowChain(bench, ["self.out.send(bytes(150_000_000))", addOne.replace("self.inp or 0", "0")]);
    await bench.start();
    await bench.run();
    await sleep(50);
    expect((await bench.until("stop", "", "EXITED")).workflow_state).toBe("EXITED");
    await expect.poll(async () => (await processesOf(bench.jobId)).length).toBe(0);
    bench.close();
  });
});
