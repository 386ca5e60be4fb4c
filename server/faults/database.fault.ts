import { mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errors } from "@miranda/contract/errors.ts";
import { describe, expect, it, onTestFinished } from "vitest";

import { script } from "../testing/workbench.ts";
import { FaultBench } from "./fault-bench.ts";
import { smallDisk } from "./small-disk.ts";

const isRoot = process.getuid?.() === 0;
const full = errors.disk_full;

describe.skipIf(!isRoot)("the disk with the logs is full (fault 23)", () => {
  it("sessions that print wait and lose nothing, writes get 507, reads and computing go on, and all recovers", async () => {
    const disk = smallDisk(400);
    const fault = await FaultBench.openEmbedded(join(disk, "data"), { MIRANDA_DISK_RESERVE_MB: "60" });
    onTestFinished(() => fault.close());
    const [bench, computing, idle] = [await fault.workbench(), await fault.workbench(), await fault.workbench()];
    await bench.node(script("import time", "for at in range(2_000): print('line', at); time.sleep(0.004)"));
    await computing.node(script("import time", "time.sleep(12)"));
    for (const one of [bench, computing, idle]) await one.start();
    const began = computing.listener.received.length;
    await computing.until("start", "-1", "RUNNING");
    const since = bench.listener.received.length;
    await bench.until("start", "-1", "RUNNING");
    const stranger = join(disk, "stranger");
    const { bavail, bsize } = statfsSync(disk);
    await writeFile(stranger, Buffer.alloc(bavail * bsize - 40e6, 1));
    const ready = await fetch(`${fault.server.url}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([503, full]);
    const refused = await bench.owner.post("/api/v3/projects/", { name: "No room", description: "" });
    expect([refused.status, refused.text]).toEqual([507, full]);
    const projects = (await bench.owner.get("/api/v3/projects/")).text;
    expect(projects).not.toContain("No room");
    const list = (await bench.owner.get("/api/v3/settings/warnings")).json<{ warnings: { code: string }[] }>();
    expect(list.warnings.map(({ code }) => code)).toContain("disk_full");
    await sleep(15_000);
    expect((await bench.job()).workflow_state).toBe("RUNNING");
    expect((await idle.job()).workflow_state).toBe("READY");
    rmSync(stranger);
    await bench.state(since, "READY");
    await computing.state(began, "READY");
    const texts = (await bench.logs("?log_lines=10000")).flatMap(({ message }) => message.split("\n"));
    expect(texts.filter((text) => text.startsWith("line "))).toEqual(
      Array.from({ length: 2_000 }, (_, at) => `line ${at}`),
    );
    expect(texts.join("\n")).toMatch(/The disk that holds the logs was full: .* waited for [\d.]+ (?:s|ms|min)/);
    expect((await fetch(`${fault.server.url}/readyz`)).status).toBe(200);
    expect((await bench.owner.post("/api/v3/projects/", { name: "Room", description: "" })).status).toBe(200);
    for (const one of [bench, computing, idle]) one.close();
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
