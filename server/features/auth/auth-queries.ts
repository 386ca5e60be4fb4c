import { session as sessionLimits } from "@miranda/contract/limits.ts";
import { CompiledQuery, type Selectable, sql, type SqlBool, type Updateable } from "kysely";

import type { AccountsTable } from "../../tables/tables.ts";
import type { Db } from "../../platform/database/database.ts";
import { deleteInBatches } from "../../platform/database/delete-batches-queries.ts";
import { createAccessTokenQueries } from "./access-tokens-queries.ts";
import { idleSince } from "./idle-tokens-queries.ts";
import type { Proved } from "./proved-account.ts";

export type AccountRow = Selectable<AccountsTable> & {
  has_exec_token: boolean;
  sample: { project_id: string; graph_id: string } | null;
};

const now = sql<Date>`now()`;
const sessionEnd = sql<Date>`now() + make_interval(secs => ${sql.lit(sessionLimits.lifetime / 1000)})`;
const firstAccountLock = 4_600_002;

interface SessionRow {
  token_hash: string;
  id: string;
  username: string;
  is_admin: boolean;
  seen_at: Date;
}

// Every call runs this query. As text it need not be built each time.
const selectSessions = `
  select encode(sessions.token_hash, 'hex') as token_hash, accounts.id, accounts.username, accounts.is_admin,
    sessions.last_seen_at as seen_at
  from sessions join accounts on accounts.id = sessions.account_id
  where sessions.token_hash = any(select decode(hash, 'hex') from unnest($1::text[]) as hash)
    and sessions.expires_at > now()`;

export function createAuthQueries(db: Db) {
  const accounts = db
    .selectFrom("accounts")
    .selectAll("accounts")
    .where("deleted_at", "is", null)
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom("access_tokens")
            .select("access_tokens.id")
            .whereRef("access_tokens.account_id", "=", "accounts.id")
            .where("access_tokens.last_used_at", ">", idleSince),
        )
        .$castTo<boolean>()
        .as("has_exec_token"),
    )
    .select(
      sql<AccountRow["sample"]>`(
        select json_build_object('project_id', graphs.project_id, 'graph_id', graphs.id)
        from samples join graphs on graphs.id = samples.graph_id join projects on projects.id = graphs.project_id
        where samples.account_id = accounts.id and projects.owner_id = accounts.id and samples.opened_at is null
        order by samples.created_at limit 1)`.as("sample"),
    );

  return {
    findAccount: (id: string) => accounts.where("id", "=", id).executeTakeFirst(),

    /** A username never holds an @, so one name means one account. */
    findAccountByLogin: (login: string) =>
      accounts
        .where((eb) =>
          eb.or([
            eb(eb.fn("lower", ["username"]), "=", login.toLowerCase()),
            eb(eb.fn("lower", ["email"]), "=", login.toLowerCase()),
          ]),
        )
        .executeTakeFirst(),

    insertAccount: (row: {
      id: string;
      username: string;
      email: string;
      first_name: string;
      last_name: string;
      password_hash: string;
      trial_end: Date;
      credits: number;
    }) =>
      db.transaction().execute(async (trx) => {
        // Two first registrations at once must not both become administrator.
        await sql`select pg_advisory_xact_lock(${firstAccountLock})`.execute(trx);
        await trx
          .insertInto("accounts")
          .values({
            ...row,
            trial: true,
            avatar_version: null,
            is_admin: sql<boolean>`not exists (select 1 from accounts)`,
          })
          .execute();
        await trx.insertInto("ledger").values({ account_id: row.id, kind: "trial", amount: row.credits }).execute();
        await createAccessTokenQueries(trx).giveAutomatic(row.id);
      }),

    /** False when the password that authorised the change has just been replaced. */
    updateAccount: async (id: string, change: Updateable<AccountsTable>, proved?: Proved): Promise<boolean> => {
      const { numUpdatedRows } = await db
        .updateTable("accounts")
        .set({ ...change, updated_at: now })
        .where("id", "=", id)
        .where("deleted_at", "is", null)
        .$if(proved !== undefined, (query) => query.where("password_hash", "=", proved?.password_hash ?? ""))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /**
     * False when the password was changed after it was checked. Waits for the account's row, so no session slips
     * through.
     */
    insertSession: async (tokenHash: Buffer, { id, password_hash }: Proved, userAgent: string): Promise<boolean> => {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("sessions")
        .columns(["token_hash", "account_id", "user_agent", "expires_at"])
        .expression((eb) =>
          eb
            .selectFrom("accounts")
            .select([eb.val(tokenHash).as("token_hash"), "id", eb.val(userAgent).as("user_agent")])
            .select(sessionEnd.as("expires_at"))
            .where("id", "=", id)
            .where("password_hash", "=", password_hash)
            .forShare(),
        )
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    /** By the hex hashes of their tokens. */
    findSessions: async (tokenHashes: string[]) => {
      const { rows } = await db.executeQuery<SessionRow>(CompiledQuery.raw(selectSessions, [tokenHashes]));
      return new Map(rows.map((row) => [row.token_hash, row]));
    },

    touchSession: (tokenHash: Buffer) =>
      db
        .updateTable("sessions")
        .set({ last_seen_at: now, expires_at: sessionEnd })
        .where("token_hash", "=", tokenHash)
        .execute(),

    deleteSession: (tokenHash: Buffer) => db.deleteFrom("sessions").where("token_hash", "=", tokenHash).execute(),

    /**
     * Replaces the password and ends every session and token in one step: a thief's must not outlive the change. False
     * when another change of the same password came first.
     */
    replacePassword: ({ id, password_hash }: Proved, newHash: string): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable("accounts")
          .set({ password_hash: newHash, updated_at: now })
          .where("id", "=", id)
          .where("password_hash", "=", password_hash)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        await trx.deleteFrom("sessions").where("account_id", "=", id).execute();
        await trx.deleteFrom("access_tokens").where("account_id", "=", id).execute();
        // The automatic token has no secret that a thief could have: the person can go on running.
        await createAccessTokenQueries(trx).giveAutomatic(id);
        return true;
      }),

    saveAvatar: (accountId: string, version: string, image: Buffer) =>
      db.transaction().execute(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable("accounts")
          .set({ avatar_version: version })
          .where("id", "=", accountId)
          .where("deleted_at", "is", null)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return;
        await trx
          .insertInto("avatars")
          .values({ account_id: accountId, version, image })
          .onConflict((conflict) => conflict.column("account_id").doUpdateSet({ version, image }))
          .execute();
      }),

    deleteAvatar: (accountId: string) =>
      db.transaction().execute(async (trx) => {
        await trx.deleteFrom("avatars").where("account_id", "=", accountId).execute();
        await trx.updateTable("accounts").set({ avatar_version: null }).where("id", "=", accountId).execute();
      }),

    findAvatar: (accountId: string) =>
      db.selectFrom("avatars").select(["image", "version"]).where("account_id", "=", accountId).executeTakeFirst(),

    async *deleteExpired(): AsyncGenerator<void> {
      yield* deleteInBatches(db, "sessions", sql<SqlBool>`expires_at < now()`);
      yield* deleteInBatches(db, "access_tokens", sql<SqlBool>`last_used_at < ${idleSince}`);
    },
  };
}
