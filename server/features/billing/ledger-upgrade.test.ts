import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { expect, it } from "vitest";

import { migrate } from "../../platform/database/migrate.ts";
import { createTestDatabase } from "../../testing/test-database.ts";

const migrations = fileURLToPath(new URL("../../migrations", import.meta.url));

it("completes the ledger of an older installation, so that credits are the sum of its entries", async () => {
  const own = await createTestDatabase("upgrade");
  const pool = new pg.Pool({ connectionString: own.url, max: 2 });
  const folder = await mkdtemp(join(tmpdir(), "miranda-migrations-"));
  const valueOf = async <Row extends object>(text: string) => (await pool.query<Row>(text)).rows;
  try {
    for (const name of (await readdir(migrations)).filter((name) => name < "0048"))
      await cp(join(migrations, name), join(folder, name));
    await pool.query("drop schema public cascade; create schema public");
    await migrate(pool, folder);
    await pool.query(`
      insert into accounts (id, username, email, first_name, last_name, password_hash, trial, credits)
        select gen_random_uuid(), name, name || '@example.org', name, 'Tester', '', true, credits
        from (values ('ann', 97.499999999), ('bob', 100)) as given (name, credits);
      insert into projects (id, name, description, owner_id, visibility)
        select gen_random_uuid(), 'Tides', '', id, 'private' from accounts where username = 'ann';
      insert into ledger (account_id, kind, project_id, day, amount, created_at)
        select accounts.id, 'usage', projects.id, day, amount, day + time '23:50'
        from accounts, projects, (values (date '2026-05-01', -2), (date '2026-05-02', -0.500000001)) as given (day, amount)
        where username = 'ann';
      insert into ledger (account_id, kind, project_id, amount)
        select accounts.id, 'usage', projects.id, -3 from accounts, projects where username = 'bob';`);
    await migrate(pool, migrations);
    expect(
      await valueOf(`select username, credits::text, (select sum(amount)::text from ledger where account_id = accounts.id) as booked
        from accounts order by username`),
    ).toEqual([
      { username: "ann", credits: "97.499999999", booked: "97.499999999" },
      { username: "bob", credits: "100.000000000", booked: "100.000000000" },
    ]);
    expect(
      await valueOf(
        `select (at at time zone 'UTC')::text as at, source, project_name from ledger
        where kind = 'usage' and project_name <> '' order by at`,
      ),
    ).toEqual([
      { at: "2026-05-01 23:45:00", source: "session", project_name: "Tides" },
      { at: "2026-05-02 23:45:00", source: "session", project_name: "Tides" },
    ]);
    // Bob only paid for a call of an app of the project.
    expect(await valueOf("select amount, project_name from ledger where kind = 'usage' and amount = -3")).toEqual([
      { amount: expect.anything(), project_name: "" },
    ]);
  } finally {
    await pool.end();
    await rm(folder, { recursive: true, force: true });
    await own.drop();
  }
}, 60_000);
