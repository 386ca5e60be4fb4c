import { secondFactor, session as sessionLimits } from "@miranda/contract/limits.ts";
import { CompiledQuery, type Selectable, sql, type SqlBool, type Updateable } from "kysely";

import type { AccountsTable } from "../../tables/tables.ts";
import type { AuditEvent } from "../../platform/audit/audit-event.ts";
import { recordAuditEvent } from "../../platform/audit/audit-log.ts";
import type { Visitor } from "../../platform/http/visitor.ts";
import { firstAccountLock } from "../../platform/database/advisory-locks.ts";
import type { Db } from "../../platform/database/database.ts";
import { deleteInBatches } from "../../platform/database/delete-batches-queries.ts";
import { createAccessTokenQueries } from "./access-tokens-queries.ts";
import { isLive } from "./idle-tokens-queries.ts";
import type { Proved } from "./proved-account.ts";

export type AccountRow = Selectable<AccountsTable> & {
  has_exec_token: boolean;
  has_passkey: boolean;
  sample: { project_id: string; graph_id: string } | null;
};

const now = sql<Date>`now()`;
const sessionEnd = sql<Date>`now() + make_interval(secs => ${sql.lit(sessionLimits.lifetime / 1000)})`;

export interface NewAccount {
  id: string;
  username: string;
  email: string;
  first_name: string;
  last_name: string;
  password_hash: string;
  /** For an account without a password: the same as `password_hash`. */
  generated_password_hash?: string;
  email_verified_at?: Date | null;
  must_confirm_email?: boolean;
  trial_end: Date;
  credits: number;
}

/** Inside a transaction. */
export async function addAccount(trx: Db, row: NewAccount, isAdmin: boolean): Promise<void> {
  await trx
    .insertInto("accounts")
    .values({ ...row, trial: true, avatar_version: null, is_admin: isAdmin })
    .execute();
  await trx.insertInto("ledger").values({ account_id: row.id, kind: "trial", amount: row.credits }).execute();
  await createAccessTokenQueries(trx).giveAutomatic(row.id);
}

/**
 * Signs an account out everywhere: every browser, and sign-ins that wait for their second factor. Inside a transaction.
 * Returns how many browsers were signed out.
 */
export async function endSessionsOf(trx: Db, accountId: string): Promise<number> {
  await trx.deleteFrom("sign_in_tickets").where("account_id", "=", accountId).execute();
  const { numDeletedRows } = await trx.deleteFrom("sessions").where("account_id", "=", accountId).executeTakeFirst();
  return Number(numDeletedRows);
}

/**
 * Before a link of the account is used or ended. Everybody locks the account first and its links after it: the other
 * way round, two of them could wait for each other.
 */
export async function lockAccountOfLink(trx: Db, accountId: string): Promise<void> {
  await trx.selectFrom("accounts").select("id").where("id", "=", accountId).forNoKeyUpdate().executeTakeFirst();
}

/** Ends every link that was mailed to an account, or made for it. Inside a transaction. */
export async function endMailedLinksOf(trx: Db, accountId: string): Promise<void> {
  await trx.deleteFrom("password_links").where("account_id", "=", accountId).execute();
  await trx.deleteFrom("email_confirmations").where("account_id", "=", accountId).execute();
}

interface SessionRow {
  token_hash: string;
  id: string;
  username: string;
  is_admin: boolean;
  seen_at: Date;
  has_second_factor: boolean;
  has_two_factors: boolean;
}

// Every call runs this query. As text it need not be built each time.
const selectSessions = `
  select encode(sessions.token_hash, 'hex') as token_hash, accounts.id, accounts.username, accounts.is_admin,
    sessions.last_seen_at as seen_at, accounts.has_second_factor, sessions.has_two_factors
  from sessions join accounts on accounts.id = sessions.account_id
  where sessions.token_hash = any(select decode(hash, 'hex') from unnest($1::text[]) as hash)
    and sessions.expires_at > now() and accounts.disabled_at is null`;

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
            .where(isLive),
        )
        .$castTo<boolean>()
        .as("has_exec_token"),
    )
    .select((eb) =>
      eb
        .exists(eb.selectFrom("passkeys").select("passkeys.id").whereRef("passkeys.account_id", "=", "accounts.id"))
        .$castTo<boolean>()
        .as("has_passkey"),
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

    /**
     * The first account of an installation becomes administrator. `admit` refuses others that may not register. `also`
     * adds what belongs to the account: when it refuses, there is no account.
     */
    insertAccount: (row: NewAccount, admit: (trx: Db) => Promise<void>, also: (trx: Db) => Promise<void>) =>
      db.transaction().execute(async (trx) => {
        // Two first registrations at once must not both become administrator.
        await sql`select pg_advisory_xact_lock(${firstAccountLock})`.execute(trx);
        const isFirst = (await trx.selectFrom("accounts").select("id").limit(1).executeTakeFirst()) === undefined;
        if (!isFirst) await admit(trx);
        await addAccount(trx, row, isFirst);
        await also(trx);
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
    insertSession: async (
      tokenHash: Buffer,
      { id, password_hash }: Proved,
      { visitor, hasTwoFactors, countsAsReauth }: { visitor: Visitor; hasTwoFactors: boolean; countsAsReauth: boolean },
    ): Promise<boolean> => {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("sessions")
        .columns([
          "token_hash",
          "account_id",
          "user_agent",
          "address",
          "has_two_factors",
          "reauthenticated_at",
          "expires_at",
        ])
        .expression((eb) =>
          eb
            .selectFrom("accounts")
            .select([
              eb.val(tokenHash).as("token_hash"),
              "id",
              eb.val(visitor.userAgent.slice(0, 300)).as("user_agent"),
            ])
            .select(eb.val(visitor.address).as("address"))
            .select([
              eb.val(hasTwoFactors).as("has_two_factors"),
              sql<Date | null>`case when ${countsAsReauth} then now() end`.as("reauthenticated_at"),
            ])
            .select(sessionEnd.as("expires_at"))
            .where("id", "=", id)
            .where("password_hash", "=", password_hash)
            .where("disabled_at", "is", null)
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

    isDisabled: async (id: string): Promise<boolean> => {
      const found = await db.selectFrom("accounts").select("disabled_at").where("id", "=", id).executeTakeFirst();
      return found?.disabled_at != null;
    },

    noteSeen: async (accountId: string): Promise<void> => {
      await db.updateTable("accounts").set({ last_seen_at: now }).where("id", "=", accountId).execute();
    },

    /** Whether somebody proved in this browser who they are, some minutes ago at most. */
    isJustReauthenticated: async (tokenHash: Buffer): Promise<boolean> => {
      const found = await db
        .selectFrom("sessions")
        .select("account_id")
        .where("token_hash", "=", tokenHash)
        .where(
          "reauthenticated_at",
          ">",
          sql<Date>`now() - make_interval(secs => ${sql.lit(secondFactor.reauthLifetime / 1000)})`,
        )
        .executeTakeFirst();
      return found !== undefined;
    },

    deleteSession: (tokenHash: Buffer) => db.deleteFrom("sessions").where("token_hash", "=", tokenHash).execute(),

    /**
     * Replaces the password and ends every session, token and password link in one step: a thief's must not outlive the
     * change. False when another change of the same password came first.
     */
    replacePassword: ({ id, password_hash }: Proved, newHash: string, event: AuditEvent): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable("accounts")
          .set({ password_hash: newHash, updated_at: now })
          .where("id", "=", id)
          .where("password_hash", "=", password_hash)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        await endSessionsOf(trx, id);
        await trx.deleteFrom("password_links").where("account_id", "=", id).execute();
        await trx.deleteFrom("access_tokens").where("account_id", "=", id).execute();
        // The automatic token has no secret that a thief could have: the person can go on running.
        await createAccessTokenQueries(trx).giveAutomatic(id);
        await recordAuditEvent(trx, event);
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
      yield* deleteInBatches(db, "password_links", sql<SqlBool>`expires_at < now()`);
      yield* deleteInBatches(db, "sessions", sql<SqlBool>`expires_at < now()`);
      yield* deleteInBatches(db, "access_tokens", sql<SqlBool>`not ${isLive}`);
    },
  };
}
