import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

import { applicationRole } from "../platform/database/postgres/postgres-roles.ts";

export interface TestDatabase {
  /** As the application signs in: without the rights of an administrator. */
  url: string;
  /** The same database as the role that may do everything. */
  adminUrl: string;
  name: string;
  drop(): Promise<void>;
}

/** A copy of the migrated database, owned by the application's role as the original is. */
export async function createTestDatabase(prefix = "test"): Promise<TestDatabase> {
  const name = `${prefix}_${randomBytes(6).toString("hex")}`;
  await administer(`create database ${name} template miranda owner ${applicationRole}`);
  const url = inject("databaseUrl").replace(/\/miranda$/, `/${name}`);
  const adminUrl = inject("databaseAdminUrl").replace(/\/postgres$/, `/${name}`);
  return { url, adminUrl, name, drop: () => administer(`drop database ${name} with (force)`) };
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject("databaseAdminUrl") });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
