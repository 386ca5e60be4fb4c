import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, inject, it } from "vitest";

import { type Database, openDatabase } from "./database.ts";

let database: Database;
beforeAll(() => {
  database = openDatabase(inject("databaseAdminUrl"), 1, () => undefined);
});
afterAll(() => database.close());

// A table that only this connection sees.
beforeEach(async () => {
  await database.pool.query("drop table if exists tides");
  await database.pool.query("create temporary table tides as select 1 as height");
});

const read = () => sql<Record<string, number>>`select * from tides where height = ${1}`.execute(database.db);
const often = async (): Promise<void> => {
  for (let times = 0; times < 25; times += 1) await read();
};

it("names a statement that is sent often, and not one that is sent once", async () => {
  await often();
  await sql`select height + ${1} from tides`.execute(database.db);
  const { rows } = await database.pool.query("select statement from pg_prepared_statements");
  expect(rows).toContainEqual({ statement: "select * from tides where height = $1" });
  expect(rows).not.toContainEqual({ statement: "select height + $1 from tides" });
});

it("repeats a read without its plan after a newer server has changed the table", async () => {
  await often();
  await database.pool.query("alter table tides add column tide integer default 7");
  expect((await read()).rows).toEqual([{ height: 1, tide: 7 }]);
  await often();
  expect((await read()).rows).toEqual([{ height: 1, tide: 7 }]);
});

it("fails one transaction after such a change, and not the next", async () => {
  await often();
  await database.pool.query("alter table tides add column tide integer default 7");
  const change = () =>
    database.db.transaction().execute((trx) => sql`select * from tides where height = ${1}`.execute(trx));
  await expect(change()).rejects.toThrow("cached plan must not change result type");
  expect((await change()).rows).toEqual([{ height: 1, tide: 7 }]);
});

it("reports the error of a named statement, and goes on", async () => {
  await often();
  const wrong = () => sql`select ${1}::int / 0 from tides where height = ${1}`.execute(database.db);
  for (let times = 0; times < 25; times += 1) await expect(wrong()).rejects.toThrow("division by zero");
  expect((await read()).rows).toEqual([{ height: 1 }]);
});
