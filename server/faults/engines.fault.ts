import { spawn } from "node:child_process";
import { chownSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { findProcess } from "../engines/processes.ts";
import { signal } from "../testing/services/signal.ts";
import { newId } from "../platform/crypto.ts";
import { openDatabase } from "../platform/database/database.ts";
import { applicationRole } from "../platform/database/postgres/postgres-roles.ts";
import { processorImage } from "../testing/services/docker.ts";
import {
  agentOf,
  isAvailable,
  openEngineUnderTest,
  type EngineUnderTest,
  processesOf,
} from "../testing/engine-under-test.ts";
import { script, type Workbench } from "../testing/workbench.ts";
import { expectEverySample, type FaultBench, numbersOf, upTo } from "./fault-bench.ts";
import { expectWaiting, flood, smallDisk } from "./small-disk.ts";

// Faults that each engine must survive.

const graceSeconds = 1;
const connections = 8;
const texts = async (bench: Workbench): Promise<string[]> => (await bench.lines()).map(([, text]) => text);
async function nothingLeft(jobId: string): Promise<void> {
  await expect.poll(async () => (await processesOf(jobId)).length, { timeout: 15_000 }).toBe(0);
}

for (const name of ["local", "docker"] as const)
  describe.skipIf(!isAvailable(name))(`on the engine ${name}`, () => {
    let underTest: EngineUnderTest;
    let fault: FaultBench;
    beforeAll(async () => {
      underTest = await openEngineUnderTest(name);
      fault = await underTest.server({ MIRANDA_GRACE_SECONDS: `${graceSeconds}`, DATABASE_POOL: `${connections}` });
    });
    afterAll(async () => {
      await fault.close();
      await underTest.close();
    });

    async function started(...lines: string[]): Promise<Workbench> {
      const bench = await fault.workbench();
      onTestFinished(async () => {
        await bench.owner.put(`/api/v3/jobs/${bench.jobId}/cancel`);
        bench.close();
      });
      await bench.node(script(...lines));
      await bench.start();
      return bench;
    }

    async function running(...lines: string[]): Promise<Workbench> {
      const bench = await started(...lines);
      await bench.until("start", "-1", "RUNNING");
      return bench;
    }

    it("does not declare a silent session and its stopped agent lost (fault 7)", async () => {
      const lines = ["import time", "print('begun', flush=True)", "until = time.monotonic() + 5"];
      const bench = await running(...lines, "while time.monotonic() < until: pass");
      await expect.poll(() => texts(bench)).toEqual(["begun"]);
      const since = bench.listener.received.length;
      const agent = await agentOf(bench.jobId);
      signal(agent, "SIGSTOP");
      await sleep(4_000);
      signal(agent, "SIGCONT");
      expect((await bench.state(since, "READY", "ERROR", "EXITED")).workflow_state).toBe("READY");
    });

    /** A process or container of somebody else, to which a session's reference points. */
    async function stranger(jobId: string): Promise<{ ref: Record<string, unknown>; lives(): Promise<boolean> }> {
      if (!underTest.docker) {
        const { pid = 0 } = spawn("sleep", ["300"]);
        onTestFinished(() => signal(pid, "SIGKILL"));
        return { ref: { pid, start: "1" }, lives: async () => (await findProcess(pid))?.isZombie === false };
      }
      const options = { name: `miranda-${jobId}`, Image: processorImage, Entrypoint: ["sleep", "300"] };
      const made = await underTest.docker.client.createContainer(options);
      await made.start();
      return { ref: { container: "0".repeat(64) }, lives: async () => (await made.inspect()).State.Running };
    }

    it("spares a stranger that now has the session's reference, and declares the session lost (fault 10)", async () => {
      const bench = await fault.workbench();
      const jobId = newId();
      const { ref, lives } = await stranger(jobId);
      await bench.store(name, ref, new Date(0), jobId);
      await bench.state(0, "ERROR");
      expect(await lives()).toBe(true);
      bench.close();
    });

    it("ends a whole process tree that ignores SIGTERM, in time (fault 11)", async () => {
      const bench = await running(
        "import signal, subprocess, sys, time",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
        "inner = \"import subprocess, time; subprocess.Popen(['sleep', '300'], start_new_session=True); time.sleep(300)\"",
        "subprocess.Popen([sys.executable, '-c', inner], start_new_session=True)",
        "subprocess.Popen(['sh', '-c', \"trap '' TERM; while :; do sleep 1; done\"])",
        "time.sleep(300)",
      );
      await expect.poll(async () => (await processesOf(bench.jobId)).length).toBeGreaterThanOrEqual(6);
      const asked = Date.now();
      const since = bench.listener.received.length;
      await bench.owner.put(`/api/v3/jobs/${bench.jobId}/cancel`);
      await bench.state(since, "EXITED");
      await nothingLeft(bench.jobId);
      expect(Date.now() - asked).toBeLessThan((graceSeconds + 5) * 1_000);
    });

    it("cuts and marks a line of 100 MB, and joins a character printed in pieces (faults 13, 14)", async () => {
      const bench = await started(
        "import os, time",
        "for _ in range(100): os.write(1, b'x' * 1_000_000)",
        "os.write(1, b'\\n')",
        "data = 'zwölf 😀 ende\\n'.encode()",
        "for at in range(len(data)):",
        "    os.write(1, data[at:at+1]); time.sleep(0.005)",
        "print('after')",
      );
      expect((await bench.run()).workflow_state).toBe("READY");
      const written = await texts(bench);
      const long = written.find((text) => text.startsWith("xxx")) ?? "";
      expect(long.length).toBeLessThan(10.6e6);
      expect(long.slice(-100)).toMatch(/\[\d+ bytes of this line were cut\]$/);
      expect(written.filter((text) => text !== long).toSorted()).toEqual(["after", "zwölf 😀 ende"]);
    });

    it("loses nothing while all database connections are taken, and calls wait (fault 16)", async () => {
      const bench = await running("import time", "for n in range(30):", "    print(n)", "    time.sleep(0.1)");
      const since = bench.listener.received.length;
      const { db } = fault.database;
      const waiting = async (): Promise<number> => {
        const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
          where datname = ${fault.own.name} and wait_event_type = 'Lock'`.execute(db);
        return rows[0]?.count ?? 0;
      };
      const reads = await db.transaction().execute(async (trx) => {
        await sql`lock table projects in access exclusive mode`.execute(trx);
        const asked = Array.from({ length: 40 }, () => bench.owner.get("/api/v3/projects/"));
        // One of them listens for notifications.
        await expect.poll(waiting, { timeout: 10_000 }).toBe(connections - 1);
        await sleep(1_500);
        return asked;
      });
      for (const { status } of await Promise.all(reads)) expect(status).toBe(200);
      expect((await bench.state(since, "READY", "ERROR", "EXITED")).workflow_state).toBe("READY");
      expect(await numbersOf(bench)).toEqual(upTo(30));
      await expectEverySample(fault, bench.jobId);
    });

    it.skipIf(process.getuid?.() !== 0)(
      "ends a session that fills the disk with its log with a clear error, and everybody else works on (fault 23)",
      async () => {
        const admin = openDatabase(fault.own.adminUrl, 1, () => undefined);
        onTestFinished(admin.close);
        const { db } = admin;
        const { rows } = await sql<{ data_directory: string }>`show data_directory`.execute(db);
        const disk = smallDisk(16);
        const { uid, gid } = statSync(rows[0]?.data_directory ?? "");
        chownSync(disk, uid, gid);
        const space = `small_${fault.own.name}`;
        await sql.raw(`create tablespace ${space} location '${disk}'`).execute(db);
        await sql.raw(`grant create on tablespace ${space} to ${applicationRole}`).execute(db);
        await sql.raw(`alter table log_chunks set tablespace ${space}`).execute(db);
        const bench = await fault.workbench();
        const other = await fault.workbench();
        await bench.node(flood);
        await bench.start();
        await expectWaiting(bench);
        expect((await other.owner.get("/api/v3/projects/")).status).toBe(200);
        await other.node(script("pass"));
        expect((await fetch(`${fault.server.url}/readyz`)).status).toBe(200);
        const stored = bench.receivedLines().length;
        await sql`alter table log_chunks set tablespace pg_default`.execute(db);
        // It goes on as soon as there is room, and still can be stopped.
        await expect.poll(() => bench.receivedLines().length).toBeGreaterThan(stored);
        await bench.until("stop", "", "EXITED");
        await sql.raw(`drop tablespace ${space}`).execute(db);
        bench.close();
        other.close();
      },
    );

    // Last, because the engine stays away until it is done.
    it.skipIf(name === "local")(
      "gives up a session while the engine is away; its late report changes nothing and is charged once (fault 5)",
      async () => {
        const bench = await running("import time", "time.sleep(300)");
        await expect.poll(async () => (await bench.job()).total_cost, { timeout: 10_000 }).toBeGreaterThan(0);
        const agent = await agentOf(bench.jobId);
        signal(agent, "SIGSTOP");
        await underTest.docker?.halt("SIGTERM");
        const { db } = fault.database;
        await db
          .updateTable("jobs")
          .set({ seen_at: new Date(0) })
          .where("id", "=", bench.jobId)
          .execute();
        await bench.state(0, "ERROR");
        const words =
          "The processor was given up: it sent nothing for too long, and the Docker Engine does not answer.";
        expect((await texts(bench)).at(-1)).toBe(words);
        const { total_cost } = await bench.job();
        signal(agent, "SIGCONT");
        await underTest.docker?.resume();
        await nothingLeft(bench.jobId);
        expect(await bench.job()).toMatchObject({ workflow_state: "ERROR", total_cost });
        const samples = await expectEverySample(fault, bench.jobId);
        expect(samples.reduce((sum, { cost }) => sum + cost, 0)).toBeCloseTo(total_cost ?? 0, 6);
        expect((await texts(bench)).at(-1)).toBe(words);
      },
    );
  });
