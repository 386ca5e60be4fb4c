import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

import { script } from "../testing/workbench.ts";
import { FaultBench } from "./fault-bench.ts";
import { expectEnded, flood, smallDisk } from "./small-disk.ts";

const isRoot = process.getuid?.() === 0;

describe.skipIf(!isRoot)("the disk with the logs is full (fault 23)", () => {
  it("ends sessions that print before the embedded database on the same disk is harmed", async () => {
    const disk = smallDisk(250);
    const fault = await FaultBench.openEmbedded(join(disk, "data"), { MIRANDA_DISK_RESERVE_MB: "60" });
    onTestFinished(() => fault.close());
    const bench = await fault.workbench();
    await bench.node(flood);
    await bench.start();
    await expectEnded(bench);
    expect((await fetch(`${fault.server.url}/readyz`)).status).toBe(200);
    await bench.node(script("pass"), "Another");
    bench.close();
  });

  it("survives a disk that another program fills completely, and recovers when there is room", async () => {
    const disk = smallDisk(250);
    const fault = await FaultBench.openEmbedded(join(disk, "data"), { MIRANDA_DISK_RESERVE_MB: "0" });
    onTestFinished(() => fault.close());
    const bench = await fault.workbench();
    const stranger = join(disk, "stranger");
    await writeFile(stranger, Buffer.alloc(400e6, 1)).catch(() => undefined);
    for (let at = 0; at < 60; at++)
      await bench.owner.post("/api/v3/projects/", { name: `P${at}`, description: "x".repeat(4_000) });
    expect((await fetch(`${fault.server.url}/healthz`)).status).toBe(200);
    rmSync(stranger);
    await expect.poll(async () => (await fetch(`${fault.server.url}/readyz`)).status, { timeout: 30_000 }).toBe(200);
    const made = await bench.owner.post("/api/v3/projects/", { name: "Room", description: "" });
    expect(made.status).toBe(200);
    bench.close();
  });
});

it("restarts a killed embedded database without losing data", async () => {
  const folder = mkdtempSync(join(tmpdir(), "miranda-fault-"));
  const fault = await FaultBench.openEmbedded(folder);
  onTestFinished(() => fault.close());
  const bench = await fault.workbench();
  await bench.node(script("print('after')"));
  await bench.start();
  const [pid] = readFileSync(join(folder, "postgres", "cluster", "postmaster.pid"), "utf8").split("\n");
  process.kill(Number(pid), "SIGKILL");
  await expect.poll(async () => (await fetch(`${fault.server.url}/readyz`)).status).toBe(503);
  await expect.poll(async () => (await fetch(`${fault.server.url}/readyz`)).status, { timeout: 30_000 }).toBe(200);
  expect((await bench.run()).workflow_state).toBe("READY");
  expect((await bench.lines()).at(-1)?.[1]).toBe("after");
  bench.close();
});
