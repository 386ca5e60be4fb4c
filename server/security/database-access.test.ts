import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, readlink, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { type Database, installationOf, openDatabase } from "../platform/database/database.ts";
import { migrate } from "../platform/database/migrate.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../platform/database/postgres/embedded-postgres.ts";
import { FaultBench } from "../faults/fault-bench.ts";
import { script } from "../testing/workbench.ts";
import { makeOldCluster } from "./old-postgres.ts";

const migrations = resolve(import.meta.dirname, "..", "migrations");
const quiet = (): void => undefined;
const isRoot = process.getuid?.() === 0;

/** The TCP ports on which a process listens, from /proc. */
async function listeningPorts(pid: number): Promise<string[]> {
  const files = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => "")));
  const sockets = new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]));
  const tables = await Promise.all(["tcp", "tcp6"].map((name) => readFile(`/proc/${pid}/net/${name}`, "utf8")));
  const rows = tables.flatMap((table) => table.split("\n").map((row) => row.trim().split(/\s+/)));
  return rows.filter((row) => row[3] === "0A" && sockets.has(row[9])).map((row) => row[1] ?? "");
}

async function postmaster(folder: string): Promise<number> {
  return Number((await readFile(join(folder, "cluster", "postmaster.pid"), "utf8")).split("\n")[0]);
}

const socketFolderOf = (url: string): string => decodeURIComponent(new URL(url).hostname);

/** The functions of a trusted extension, like pg_trgm, belong to the administrator, whoever created it. */
const isOfExtension = (catalog: string) => `exists (select from pg_depend where deptype = 'e'
  and classid = '${catalog}'::regclass and objid = ${catalog}.oid and refclassid = 'pg_extension'::regclass)`;

/** Objects in a database that the application's role does not own. */
async function foreignObjects({ pool }: Database): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace
       and pg_get_userbyid(relowner) <> current_user
     union all select proname from pg_proc where pronamespace = 'public'::regnamespace
       and pg_get_userbyid(proowner) <> current_user and not ${isOfExtension("pg_proc")}
     union all select typname from pg_type where typnamespace = 'public'::regnamespace
       and pg_get_userbyid(typowner) <> current_user and not ${isOfExtension("pg_type")}
     union all select datname from pg_database where datname = current_database()
       and pg_get_userbyid(datdba) <> current_user`,
  );
  return rows.map(({ name }) => name);
}

describe("the embedded PostgreSQL", () => {
  let folder: string;
  let postgres: EmbeddedPostgres;
  let database: Database;
  beforeAll(async () => {
    folder = join(await mkdtemp(join(tmpdir(), "miranda-door-")), "postgres");
    postgres = await startEmbeddedPostgres(folder, quiet);
    database = openDatabase(postgres.url, 2, quiet);
    await migrate(database.pool, migrations);
  });
  afterAll(async () => {
    await database.close();
    await postgres.stop();
    await rm(resolve(folder, ".."), { recursive: true, force: true });
  });

  it("listens on no port, only on a socket in a folder that nobody else may enter", async () => {
    const pid = await postmaster(folder);
    if (process.platform === "linux") expect(await listeningPorts(pid)).toEqual([]);
    const found = await stat(socketFolderOf(postgres.url));
    expect(found.mode & 0o777).toBe(0o700);
    expect(found.uid).toBe(isRoot ? 65_534 : process.getuid?.());
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const { rows } = await database.pool.query("select inet_server_addr() as address");
    expect(rows).toEqual([{ address: null }]);
  });

  it("gives the application a role without special rights, which owns its own database", async () => {
    const { rows } = await database.pool.query(
      `select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
         (select count(*)::int from pg_auth_members where member = pg_roles.oid) as roles
       from pg_roles where rolname = current_user`,
    );
    expect(rows).toEqual([
      {
        rolsuper: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolreplication: false,
        rolbypassrls: false,
        roles: 0,
      },
    ]);
    expect(await foreignObjects(database)).toEqual([]);
  });

  it.each([
    ["run a program", "copy schema_migrations to program 'id'"],
    ["read a file of the server", "select pg_read_file('/etc/passwd')"],
    ["write a file of the server", "copy schema_migrations to '/tmp/miranda-door-written'"],
    ["become the administrator", "set role miranda"],
    ["make itself a superuser", "alter role miranda_app superuser"],
    ["make a role", "create role intruder superuser login"],
    ["make a database", "create database intruder"],
    ["load code into the server", "create function evil() returns int as '/lib/x.so', 'evil' language c"],
    ["change a setting of the server", "alter system set listen_addresses = '*'"],
    ["read the hashes of passwords", "select rolpassword from pg_authid"],
  ])("does not let the application %s", async (_what, statement) => {
    await expect(database.pool.query(statement)).rejects.toMatchObject({ code: "42501" });
  });

  it("lets nobody in without the password", async () => {
    for (const role of ["miranda", "miranda_app", "postgres"]) {
      const url = new URL(postgres.url);
      url.username = role;
      url.password = "guessed";
      const stranger = openDatabase(url.href, 1, quiet);
      await expect(stranger.pool.query("select 1")).rejects.toMatchObject({ code: "28P01" });
      await stranger.close();
    }
  });

  it("stores the application's password nowhere, and the administrator's where only the database's account can read it", async () => {
    const { password } = new URL(postgres.url);
    for (const name of await readdir(folder)) {
      const found = await stat(join(folder, name));
      if (!found.isFile()) continue;
      expect(found.mode & 0o077).toBe(0);
      expect(await readFile(join(folder, name), "utf8")).not.toContain(password);
    }
  });
});

describe("a data folder of an earlier version", () => {
  it("is upgraded in one start: same data and identity, everything owned by the application, no port", async () => {
    const top = await mkdtemp(join(tmpdir(), "miranda-door-"));
    onTestFinished(() => rm(top, { recursive: true, force: true }));
    const folder = join(top, "postgres");
    let identity = "";
    await makeOldCluster(folder, async (url) => {
      const old = openDatabase(url, 1, quiet);
      await migrate(old.pool, migrations);
      await old.pool.query(
        "insert into attempts (key, count, expires_at) values ('kept', 3, now() + interval '1 day')",
      );
      // Not in our migrations, but an operator may have created it. The upgrade must not fail on it.
      await old.pool.query(
        `create schema "Own Things"; create type "Own Things".mood as enum ('low', 'high');
         create table "Own Things"."Odd ""name""" (id bigint generated always as identity, other serial);
         create view "Own Things".seen as select 1 as one; create domain tide as int;
         create materialized view "Own Things".stored as select 2 as two`,
      );
      identity = await installationOf(old.pool);
      await old.close();
    });

    // The second start finds nothing to do. The third follows a start that was killed halfway.
    for (const round of ["upgrade", "again", "half done"]) {
      const postgres = await startEmbeddedPostgres(folder, quiet);
      const database = openDatabase(postgres.url, 1, quiet);
      try {
        expect([round, await foreignObjects(database)]).toEqual([round, []]);
        expect(await installationOf(database.pool)).toBe(identity);
        const { rows } = await database.pool.query("select count from attempts where key = 'kept'");
        expect(rows).toEqual([{ count: 3 }]);
        expect(await migrate(database.pool, migrations)).toEqual([]);
        // What a later migration would do.
        await database.pool.query("alter table accounts add column later int; alter table accounts drop column later");
        await database.pool.query(`insert into "Own Things"."Odd ""name""" default values`);
        await database.pool.query(`drop view "Own Things".seen; create view "Own Things".seen as select 1 as one`);
        if (process.platform === "linux") expect(await listeningPorts(await postmaster(folder))).toEqual([]);
        await database.close();
        const admin = openDatabase(postgres.adminUrl.replace(/\/postgres$/, "/miranda"), 1, quiet);
        if (round === "again")
          await admin.pool.query("alter table accounts owner to miranda; alter database miranda owner to miranda");
        await admin.close();
      } finally {
        await postgres.stop();
      }
    }
  });
});

describe.skipIf(spawnSync("bwrap", ["--ro-bind", "/", "/", "true"]).status !== 0)("node code in its sandbox", () => {
  it("finds neither the socket of the database nor its files", async () => {
    const folder = await mkdtemp(join(tmpdir(), "miranda-door-"));
    const fault = await FaultBench.openEmbedded(folder, { MIRANDA_SANDBOX: "auto" });
    onTestFinished(() => fault.close());
    expect((await stat(join(folder, "postgres", "socket", ".s.PGSQL.5432"))).isSocket()).toBe(true);
    const bench = await fault.workbench();
    await bench.node(
      script(
        "import os, socket",
        `for path in (${JSON.stringify(join(folder, "postgres"))}, ${JSON.stringify(join(folder, "postgres", "password"))}):`,
        "    print('shown' if os.path.lexists(path) else 'hidden')",
        "try:",
        `    socket.socket(socket.AF_UNIX).connect(${JSON.stringify(join(folder, "postgres", "socket", ".s.PGSQL.5432"))})`,
        "    print('connected')",
        "except FileNotFoundError: print('no socket')",
        "known = [line.split()[-1] for line in open('/proc/net/unix') if '.s.PGSQL' in line]",
        `print('reachable', [path for path in known if os.path.exists(path)])`,
      ),
    );
    await bench.start();
    expect((await bench.run()).workflow_state).toBe("READY");
    const lines = (await bench.lines()).map(([, text]) => text).filter((text) => !text.startsWith("This processor"));
    expect(lines.join("\n")).toBe("hidden\nhidden\nno socket\nreachable []");
    bench.close();
  });
});

describe("a data folder with a long name", () => {
  it("has its socket in another private folder, which is removed with it", async () => {
    const top = await mkdtemp(join(tmpdir(), "miranda-door-"));
    onTestFinished(() => rm(top, { recursive: true, force: true }));
    const folder = join(top, "a long name, with a comma and spaces ".repeat(4), "postgres");
    const postgres = await startEmbeddedPostgres(folder, quiet);
    const socket = socketFolderOf(postgres.url);
    const database = openDatabase(postgres.url, 1, quiet);
    try {
      expect(socket.startsWith(top)).toBe(false);
      expect((await stat(socket)).mode & 0o777).toBe(0o700);
      expect((await database.pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    } finally {
      await database.close();
      await postgres.stop();
    }
    await expect(stat(socket)).rejects.toMatchObject({ code: "ENOENT" });
  });
});
