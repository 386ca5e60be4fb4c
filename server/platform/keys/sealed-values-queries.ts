import pg from "pg";

/** Every column with values that `cipher.encrypt` made. A test compares this with the columns of the database. */
export const sealedColumns = [
  { table: "secrets", column: "value" },
  { table: "password_requests", column: "answer" },
  { table: "webhooks", column: "secret" },
  { table: "deployments", column: "hook_secret" },
  { table: "artifact_buckets", column: "secret_key" },
  { table: "mails", column: "content" },
  { table: "provider_sign_ins", column: "content" },
  { table: "authenticator_apps", column: "secret" },
] as const;

export type SealedColumn = (typeof sealedColumns)[number];

/** The next sealed values in the order of their bytes. No two are equal: each begins with a random number. */
export async function nextSealed(
  pool: pg.Pool,
  { table, column }: SealedColumn,
  after: Buffer,
  most: number,
): Promise<Buffer[]> {
  const [from, name] = [pg.escapeIdentifier(table), pg.escapeIdentifier(column)];
  const { rows } = await pool.query<{ value: Buffer }>(
    `select ${name} as value from ${from} where ${name} > $1 order by ${name} limit $2`,
    [after, most],
  );
  return rows.map(({ value }) => value);
}

/** Replaces values, unless somebody else has changed them meanwhile. */
export async function replaceSealed(
  pool: pg.Pool,
  { table, column }: SealedColumn,
  pairs: { before: Buffer; after: Buffer }[],
): Promise<void> {
  if (pairs.length === 0) return;
  const [from, name] = [pg.escapeIdentifier(table), pg.escapeIdentifier(column)];
  await pool.query(
    `update ${from} set ${name} = pairs.after from unnest($1::bytea[], $2::bytea[]) as pairs (before, after)
     where ${from}.${name} = pairs.before`,
    [pairs.map(({ before }) => before), pairs.map(({ after }) => after)],
  );
}
