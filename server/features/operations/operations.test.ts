import type { Backup, Health } from "@miranda/contract/schemas/operations/health.ts";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openArchive } from "../../platform/backup/read-archive.ts";
import { backupLock } from "../../platform/database/advisory-locks.ts";
import { readConfig } from "../../platform/settings/config.ts";
import { type Cast, signUpCast, readCells, roles } from "../../testing/access.ts";
import { callsOf, serveAsProposed } from "../../testing/deployments/served.ts";
import type { TestClient } from "../../testing/test-client.ts";
import { password, startTestServer, type TestServer } from "../../testing/test-server.ts";
import { parseMetrics } from "../../testing/operations/parse-metrics.ts";
import { script, Workbench } from "../../testing/workbench.ts";

const token = "a token for prometheus";

let server: TestServer;
let cast: Cast;
beforeAll(async () => {
  const backups = { ...readConfig({}).backups, keep: 1, passphrase: "four words for backups" };
  server = await startTestServer({ metricsToken: token, backups });
  cast = await signUpCast(server);
});
afterAll(() => server.close());

const health = async () => (await cast.admin.get("/api/v3/admin/health")).json<Health>();
async function finished(id: string): Promise<Backup> {
  const find = async () => (await health()).backup.recent.find((one) => one.id === id);
  await expect.poll(async () => (await find())?.state, { timeout: 60_000 }).not.toBe("RUNNING");
  const found = await find();
  if (!found) throw new Error("no such backup");
  // It keeps its lock until its end is stored. Until then the next one is refused.
  const locks = sql`select from pg_locks where locktype = 'advisory' and objid = ${backupLock}
    and database = (select oid from pg_database where datname = current_database())`;
  await expect.poll(async () => (await locks.execute(server.db)).rows.length).toBe(0);
  return found;
}

/** A backup that has its lock and waits before its first file. `end` lets it go on. */
async function holdBackup() {
  const held = await server.db.startTransaction().execute();
  await sql`lock table backups in exclusive mode`.execute(held);
  const answer = cast.admin.post("/api/v3/admin/backups");
  const waits = async () => {
    const { rows } = await sql`select from pg_locks where relation = 'backups'::regclass and not granted`.execute(held);
    return rows.length === 1;
  };
  try {
    await expect.poll(waits).toBe(true);
  } catch (error) {
    // The tests that follow need the table.
    await held.rollback().execute();
    throw error;
  }
  const end = async () => {
    await held.rollback().execute();
    return answer;
  };
  return { waits, end };
}

describe("backups", () => {
  it(
    "makes one archive while people work, shows it, and refuses a second one meanwhile",
    { timeout: 60_000 },
    async () => {
      expect((await health()).backup).toMatchObject({ state: "warning", words: "There is no backup yet.", recent: [] });
      const answers = await Promise.all([1, 2].map(() => cast.admin.post("/api/v3/admin/backups")));
      expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409]);
      const begun = answers.find(({ status }) => status === 200)?.json<Backup>();
      const done = await finished(begun?.id ?? "");
      expect(done).toMatchObject({ state: "DONE", made_by: "person", username: "admin", has_key: true, problem: null });
      expect((await stat(done.file)).mode & 0o777).toBe(0o600);
      expect(await readdir(join(server.dataFolder, "backups"))).toHaveLength(1);
      await using archive = await openArchive(done.file);
      expect(archive.manifest.tables.find(({ name }) => name === "accounts")?.rows).toBe(5);
      expect(archive.manifest.tables.map(({ name }) => name)).not.toContain("backups");
      const events = await server.db
        .selectFrom("audit_log")
        .select(["kind", "actor_name"])
        .where("kind", "=", "admin.backup")
        .execute();
      expect(events).toEqual([{ kind: "admin.backup", actor_name: "admin" }]);
      expect((await health()).backup.state).toBe("ok");
    },
  );

  it("lets people register while one is made", async () => {
    const { waits, end } = await holdBackup();
    const person = await server.signUp("newcomer");
    expect((await person.get("/api/v3/auth")).status).toBe(200);
    expect(await waits()).toBe(true);
    const begun = (await end()).json<Backup>();
    expect(await finished(begun.id)).toMatchObject({ state: "DONE" });
  });

  it("fails when its connection to the database is lost, and the server goes on", async () => {
    const held = await holdBackup();
    const table = await server.db.startTransaction().execute();
    await sql`lock table passkeys in access exclusive mode`.execute(table);
    const { id } = (await held.end()).json<Backup>();
    const copying = sql<{ pid: number }>`select pid from pg_stat_activity where datname = current_database()
      and application_name = 'miranda-backup' and query like 'copy "passkeys"%' and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await copying.execute(server.db)).rows.length).toBe(1);
    const [copy] = (await copying.execute(server.db)).rows;
    await sql`select pg_terminate_backend(${copy?.pid})`.execute(server.db);
    const problem = "The connection to the database was lost. No archive was left.";
    expect(await finished(id)).toMatchObject({ state: "FAILED", problem });
    await table.rollback().execute();
    expect((await health()).backup).toMatchObject({ state: "failed", words: `The last backup failed: ${problem}` });
    expect((await readdir(join(server.dataFolder, "backups"))).filter((name) => name.endsWith(".part"))).toEqual([]);
    const next = (await cast.admin.post("/api/v3/admin/backups")).json<Backup>();
    expect(await finished(next.id)).toMatchObject({ state: "DONE" });
  });

  it("says why one failed, and marks one whose process is gone", async () => {
    const folder = join(server.dataFolder, "backups");
    await server.db
      .insertInto("backups")
      .values({
        id: crypto.randomUUID(),
        state: "RUNNING",
        made_by: "command",
        account_id: null,
        file: join(folder, "x.zip"),
        has_key: false,
        problem: null,
        bytes: null,
      })
      .execute();
    const { backup } = await health();
    expect(backup.recent[0]).toMatchObject({ state: "FAILED", problem: "Its process ended before it was done." });
    expect(backup).toMatchObject({ state: "failed" });
    // An archive that is not ours is never overwritten.
    await writeFile(join(server.dataFolder, "blocked"), "");
    const blocked = await startTestServer({
      backups: { ...readConfig({}).backups, folder: join(server.dataFolder, "blocked", "in") },
    });
    const admin = await blocked.signUp("admin");
    expect((await admin.post("/api/v3/admin/backups")).status).toBeGreaterThanOrEqual(400);
    await blocked.close();
  });

  it("refuses an access token: an archive holds what everybody stored", async () => {
    const made = (await cast.admin.post("/api/v3/auth/access_tokens", { web_password: password })).json<{
      token: string;
    }>();
    const robot = await fetch(`${server.url}/api/v3/admin/backups`, {
      method: "POST",
      headers: { authorization: `Bearer ${made.token}` },
    });
    expect(robot.status).toBe(403);
  });

  it("makes them by its schedule, and keeps the newest", { timeout: 120_000 }, async () => {
    const own = await startTestServer({ backups: { ...readConfig({}).backups, every: 300_000, keep: 1 } });
    const list = () => own.db.selectFrom("backups").selectAll().orderBy("started_at").execute();
    await expect.poll(async () => (await list()).map(({ state }) => state), { timeout: 60_000 }).toEqual(["DONE"]);
    const [first] = await list();
    await own.db
      .updateTable("backups")
      .set({ started_at: new Date(Date.now() - 360_000) })
      .execute();
    // Another server of this installation starts, and looks at the schedule.
    const twin = await own.twin();
    await expect
      .poll(async () => (await list()).map(({ state }) => state), { timeout: 60_000 })
      .toEqual(["DONE", "DONE"]);
    await expect.poll(async () => (await list())[0]?.removed_at, { timeout: 60_000 }).not.toBeNull();
    // The archive of the other machine's folder is not the twin's to remove.
    expect((await stat(first?.file ?? "")).isFile()).toBe(true);
    await twin.close();
    await own.close();
  });
});

it("reports the health of every component", async () => {
  expect(await health()).toMatchObject({
    versions: { miranda: expect.stringMatching(/^\d/), postgres: expect.stringMatching(/^\d/) },
    database: { state: "ok", is_embedded: true, bytes: expect.any(Number) },
    migrations: { state: "ok", pending: [] },
    disk: { free_bytes: expect.any(Number) },
    engine: { name: "local", state: "warning" },
    redis: { state: "off" },
  });
});

const attempts: Record<string, (client: TestClient) => Promise<number>> = {
  "health: read": async (client) => (await client.get("/api/v3/admin/health")).status,
  "backup: make": async (client) => {
    const answer = await client.post("/api/v3/admin/backups");
    if (answer.status === 200) await finished(answer.json<Backup>().id);
    return answer.status;
  },
};
const cells = readCells("operations", roles);
it.each(cells)("%s, %s: %i", async (what, role, status) => {
  expect(await attempts[what]?.(cast[role])).toBe(status);
});

describe("/metrics", () => {
  const read = (url: string, given?: string) =>
    fetch(`${url}/metrics`, given === undefined ? {} : { headers: { authorization: `Bearer ${given}` } });

  it("answers only who has the token, and not at all without one in the settings", async () => {
    expect((await read(server.url)).status).toBe(401);
    expect((await read(server.url, `${token}x`)).status).toBe(401);
    expect((await cast.admin.get("/metrics")).status).toBe(401);
    const other = await startTestServer();
    expect((await read(other.url, token)).status).toBe(404);
    expect((await read(other.url, "")).status).toBe(404);
    await other.close();
  });

  it("gives numbers that a strict parser reads, with labels of routes only", async () => {
    for (let at = 0; at < 20; at += 1) await cast.admin.get(`/api/v3/projects/${crypto.randomUUID()}?secret=${at}`);
    await cast.admin.get("/nowhere/at/all");
    const answer = await read(server.url, token);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await answer.text();
    const metrics = parseMetrics(text);
    expect(text).not.toContain("secret");
    const requests = metrics.get("miranda_http_requests_total")?.samples ?? [];
    expect(
      requests.find(({ labels }) => labels["route"] === "/api/v3/projects/:id" && labels["status"] === "404")?.value,
    ).toBe(20);
    for (const name of [
      "miranda_sockets",
      "miranda_queue_length",
      "miranda_queue_oldest_wait_seconds",
      "miranda_billing_lag_seconds",
      "miranda_database_errors_total",
      "miranda_database_connections",
      "miranda_engine_up",
      "miranda_event_loop_delay_seconds",
      "process_resident_memory_bytes",
      "miranda_disk_free_bytes",
      "miranda_last_backup_timestamp_seconds",
    ])
      expect([name, metrics.get(name)?.samples.length]).toEqual([name, expect.any(Number)]);
    expect(metrics.get("miranda_database_up")?.samples[0]?.value).toBe(1);
  });

  it("counts the calls that wait or run", { timeout: 60_000 }, async () => {
    const open = async () =>
      parseMetrics(await (await read(server.url, token)).text()).get("miranda_calls_open")?.samples[0]?.value;
    const bench = await Workbench.open(server);
    await bench.node(script("import time", "time.sleep(60)"), "Slow");
    await serveAsProposed(bench, { name: "counted" });
    const calls = callsOf(bench.owner, "counted");
    const { id } = await calls.made();
    await expect.poll(open, { timeout: 10_000 }).toBe(1);
    await calls.cancel(id);
    await calls.ended(id);
    await expect.poll(open, { timeout: 10_000 }).toBe(0);
    bench.close();
  });
});

it("never writes the token or the passphrase anywhere", async () => {
  const { backup } = await health();
  const done = backup.recent.find(({ state }) => state === "DONE");
  expect(JSON.stringify(await health())).not.toContain("four words");
  expect((await readFile(done?.file ?? "")).includes("four words")).toBe(false);
});
