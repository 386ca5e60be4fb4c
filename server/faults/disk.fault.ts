import { execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";

import { markedBy } from "../engines/processes.ts";
import { script } from "../testing/workbench.ts";
import { FaultBench } from "./fault-bench.ts";

/** A disk of 16 MB that the database may use. Only root may make one. */
function smallDisk(owner: { uid: number; gid: number }): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "miranda-disk-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=16m,mode=700", "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync("umount", ["--lazy", folder]));
  chownSync(folder, owner.uid, owner.gid);
  return folder;
}

it("the disk with the logs is full: the API stays up, the session ends with a clear error (fault 23)", async ({
  skip,
}) => {
  const fault = await FaultBench.open();
  onTestFinished(() => fault.close());
  const { db } = fault.database;
  const { rows } = await sql<{ data_directory: string }>`show data_directory`.execute(db);
  const disk = smallDisk(statSync(rows[0]?.data_directory ?? ""));
  if (!disk) return skip("A small disk can be made only by root.");
  const name = `small_${fault.name}`;
  await sql.raw(`create tablespace ${name} location '${disk}'`).execute(db);
  await sql.raw(`alter table log_chunks set tablespace ${name}`).execute(db);
  const bench = await fault.workbench();
  const other = await fault.workbench();
  await bench.node(script("import os", "while True: print(os.urandom(500).hex())"));
  await bench.start();
  const since = bench.ear.heard.length;
  await bench.send("start", "-1");
  await bench.state(since, "ERROR");
  const said = bench.heardLines().at(-1)?.text;
  expect(said).toBe("The session was ended: the disk that holds the logs is full.");
  await expect.poll(async () => (await markedBy(`MIRANDA_JOB=${bench.jobId}`)).length, { timeout: 15_000 }).toBe(0);
  // What was written before is still there to be read, and the others work on.
  expect((await bench.lines()).length).toBeGreaterThan(1_000);
  expect((await bench.job()).workflow_state).toBe("ERROR");
  expect((await other.owner.get("/api/v3/projects/")).status).toBe(200);
  await other.node(script("pass"));
  expect((await fetch(`${fault.server.url}/readyz`)).status).toBe(200);
  await sql`alter table log_chunks set tablespace pg_default`.execute(db);
  await sql.raw(`drop tablespace ${name}`).execute(db);
  bench.close();
  other.close();
});
