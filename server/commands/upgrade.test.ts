import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, it } from "vitest";

import { openCipher } from "../platform/cipher.ts";
import { hashPassword, hashToken } from "../platform/crypto.ts";
import { type Database, openDatabase } from "../platform/database/database.ts";
import { listMigrations, migrate } from "../platform/database/migrate.ts";
import { applicationRole } from "../platform/database/postgres/postgres-roles.ts";
import { runCommand } from "../testing/operations/commands.ts";
import { startServerProcess } from "../testing/server-process.ts";
import { TestClient } from "../testing/test-client.ts";
import { password } from "../testing/test-server.ts";
import { migrationsFolder } from "./open-installation.ts";

// The last migration of the previous release.
const lastOfPrevious = "0050";
const name = `upgrade_${randomBytes(6).toString("hex")}`;
let admin: pg.Client;
let database: Database;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "miranda-upgrade-"));
  admin = new pg.Client({ connectionString: inject("databaseAdminUrl") });
  await admin.connect();
  await admin.query(`create database ${name} owner ${applicationRole}`);
  database = openDatabase(inject("databaseUrl").replace(/\/miranda$/, `/${name}`), 2, () => undefined, "test");
});
afterAll(async () => {
  await database.close();
  await admin.query(`drop database ${name} with (force)`);
  await admin.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 });
});

it(
  "upgrades the data folder of the previous release: people, tokens, projects and secrets stay",
  { timeout: 180_000 },
  async () => {
    const { pool, url } = database;
    const older = (await listMigrations(migrationsFolder)).filter((file) => file.slice(0, 4) <= lastOfPrevious);
    await migrate(pool, migrationsFolder, older);
    const cipher = await openCipher(folder, undefined);
    const hash = await hashPassword(password);
    const [lead, editor, project] = [1, 2, 3].map((at) => `0000000${at}-0000-7000-8000-000000000000`);
    for (const [id, username] of [
      [lead, "lead"],
      [editor, "editor"],
    ])
      await pool.query(
        `insert into accounts (id, username, email, first_name, last_name, password_hash, is_admin, trial, credits, onboarded_at)
       values ($1, $2, $2 || '@example.org', 'A', 'B', $3, $2 = 'lead', false, 12.5, now())`,
        [id, username, hash],
      );
    await pool.query("insert into projects (id, owner_id, name) values ($1, $2, 'Tides')", [project, lead]);
    await pool.query("insert into project_members (project_id, account_id, role) values ($1, $2, 'editor')", [
      project,
      editor,
    ]);
    await pool.query(
      "insert into secrets (id, key, project_id, account_id, value) values ($1, 'HARBOUR', $2, $3, $4)",
      [lead, project, lead, cipher.encrypt("low water")],
    );
    await pool.query(
      "insert into access_tokens (id, account_id, name, hint, token_hash) values ($1, $1, 'robot', '…', $2)",
      [lead, hashToken("miranda_token_of_before")],
    );

    // The new version backs up the old tables before it migrates them, and restores them elsewhere.
    const archive = join(folder, "older.zip");
    const key = ["--key-file", join(folder, "secret-key")];
    expect(await runCommand("backup", { DATABASE_URL: url, MIRANDA_DATA: folder }, [archive])).toMatchObject({
      code: 0,
    });
    const restored = join(folder, "restored");
    expect(await runCommand("restore", { MIRANDA_DATA: restored }, [archive, ...key])).toMatchObject({ code: 0 });
    expect((await runCommand("doctor", { MIRANDA_DATA: restored })).output).toMatch(/Migrations: \d+ are pending/);

    const doctor = await runCommand("doctor", { DATABASE_URL: url, MIRANDA_DATA: folder });
    expect(doctor.output).toMatch(/warning {2}Migrations: \d+ are pending/);
    const server = await startServerProcess({ DATABASE_URL: url, MIRANDA_DATA: folder });
    try {
      for (const username of ["lead", "editor"]) {
        const person = new TestClient(server.url);
        expect((await person.post("/api/v3/auth", { username, password })).status).toBe(200);
        expect((await person.get(`/api/v3/projects/${project}`)).json()).toMatchObject({ project: { name: "Tides" } });
      }
      const robot = await fetch(`${server.url}/api/v3/projects/${project}`, {
        headers: { authorization: "Bearer miranda_token_of_before" },
      });
      expect(robot.status).toBe(200);
      const { value } = await database.db.selectFrom("secrets").select("value").executeTakeFirstOrThrow();
      expect(cipher.decrypt(value)).toBe("low water");
    } finally {
      await server.kill("SIGTERM");
    }
  },
);

it(
  "refuses a database that a newer version has used, in one line, and changes nothing",
  { timeout: 60_000 },
  async () => {
    await database.pool.query("insert into schema_migrations (name) values ('9999-tomorrow.sql')");
    await expect(migrate(database.pool, migrationsFolder)).rejects.toThrow(
      "The database was used by a newer Miranda (it has 9999-tomorrow.sql). Start that version instead.",
    );
    const settings = { DATABASE_URL: database.url, MIRANDA_DATA: folder };
    const doctor = await runCommand("doctor", settings);
    expect(doctor).toMatchObject({
      code: 1,
      output: expect.stringContaining("PROBLEM  Migrations: the database was used by a newer Miranda"),
    });
    // An archive of that version is refused by this one.
    const archive = join(folder, "newer.zip");
    expect(await runCommand("backup", settings, [archive])).toMatchObject({ code: 0 });
    const target = join(folder, "older");
    const restored = await runCommand("restore", { MIRANDA_DATA: target }, [
      archive,
      "--key-file",
      join(folder, "secret-key"),
    ]);
    expect(restored).toMatchObject({
      code: 1,
      output: expect.stringContaining("The archive was made by a newer Miranda"),
    });
  },
);
