import { execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";

import { markedBy } from "../engines/processes.ts";
import { script, type Workbench } from "../testing/workbench.ts";
import { FaultBench } from "./fault-bench.ts";

const isRoot = process.getuid?.() === 0;
const words = "The session was ended: the disk that holds the logs is full.";
const flood = script("import os", "while True: print(os.urandom(500).hex())");

/** A disk of its own; only root may make one. */
function smallDisk(megabytes: number): string {
  const folder = mkdtempSync(join(tmpdir(), "miranda-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=755`, "tmpfs", folder]);
  onTestFinished(() => {
    execFileSync("umount", ["--lazy", folder]);
    rmSync(folder, { recursive: true });
  });
  return folder;
}

async function expectEnded(bench: Workbench): Promise<void> {
  const since = bench.ear.heard.length;
  await bench.send("start", "-1");
  await bench.state(since, "ERROR");
  expect(bench.heardLines().at(-1)?.text).toBe(words);
  await expect.poll(async () => (await markedBy(`MIRANDA_JOB=${bench.jobId}`)).length, { timeout: 15_000 }).toBe(0);
  // What was written before is still there to be read.
  expect((await bench.lines()).length).toBeGreaterThan(1_000);
  expect((await bench.job()).workflow_state).toBe("ERROR");
}

describe.skipIf(!isRoot)("the disk with the logs is full (fault 23)", () => {
  it("as PostgreSQL says itself: the session ends with a clear error, everybody else works on", async () => {
    const fault = await FaultBench.open();
    onTestFinished(() => fault.close());
    const { db } = fault.database;
    const { rows } = await sql<{ data_directory: string }>`show data_directory`.execute(db);
    const disk = smallDisk(16);
    const { uid, gid } = statSync(rows[0]?.data_directory ?? "");
    chownSync(disk, uid, gid);
    const name = `small_${fault.name}`;
    await sql.raw(`create tablespace ${name} location '${disk}'`).execute(db);
    await sql.raw(`alter table log_chunks set tablespace ${name}`).execute(db);
    const bench = await fault.workbench();
    const other = await fault.workbench();
    await bench.node(flood);
    await bench.start();
    await expectEnded(bench);
    expect((await other.owner.get("/api/v3/projects/")).status).toBe(200);
    await other.node(script("pass"));
    expect((await fetch(`${fault.server.url}/readyz`)).status).toBe(200);
    await sql`alter table log_chunks set tablespace pg_default`.execute(db);
    await sql.raw(`drop tablespace ${name}`).execute(db);
    bench.close();
    other.close();
  });

  it("with the embedded database on it: sessions that print end before it comes to harm", async () => {
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

  it("by somebody else, to the last byte: the server lives on and is itself again when there is room", async () => {
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

it("the embedded database is killed: it comes back, and with it everything", async () => {
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
