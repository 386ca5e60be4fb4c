import type { AccessToken } from "@miranda/contract/schemas/auth.ts";
import type { PageKeyQuery } from "@miranda/contract/schemas/pages.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { hashToken, newId, randomToken } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import { addWithinQuota } from "../../platform/limits/quota-lock.ts";
import type { Quotas } from "../../platform/limits/quota-settings.ts";
import { createAccessTokenQueries } from "./access-tokens-queries.ts";
import type { Proved } from "./proved-account.ts";

const touchEvery = 60_000;

export function createAccessTokens(db: Db, { tokensPerAccount }: Pick<Quotas, "tokensPerAccount">) {
  const queries = createAccessTokenQueries(db);

  return {
    async create(owner: Proved, name: string): Promise<string> {
      const token = `mir_${randomToken()}`;
      const row = {
        id: newId(),
        name: name || "Execution token",
        hint: token.slice(-4),
        token_hash: hashToken(token),
      };
      await addWithinQuota(db, { what: "access tokens", owner: owner.id }, async (trx) => {
        const inside = createAccessTokenQueries(trx);
        if ((await inside.count(owner.id)) >= tokensPerAccount) throw new AppError("too_many_tokens");
        if (!(await inside.insert(owner, row))) throw new AppError("wrong_password");
        // A person who has just proved their identity need not do so again in a week.
        await inside.giveAutomatic(owner.id);
      });
      return token;
    },

    keepAutomatic: queries.keepAutomatic,

    async list(accountId: string, page: PageKeyQuery): Promise<AccessToken[]> {
      const rows = await queries.listLive(accountId, page);
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        hint: row.hint,
        automatic: row.automatic,
        time_created: row.created_at.toISOString(),
        last_used: row.last_used_at.toISOString(),
      }));
    },

    async revoke(caller: Caller, id: string): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const inside = createAccessTokenQueries(trx);
        const owner = await inside.delete(id, caller.isAdmin ? undefined : caller.accountId);
        if (owner === undefined) throw new AppError("not_found");
        await inside.noteRevoked(owner);
      });
    },

    async authenticate(token: string): Promise<Caller | undefined> {
      const credential = hashToken(token);
      const found = await queries.findLive(credential);
      if (!found) return undefined;
      if (Date.now() - found.seen_at.getTime() > touchEvery) await queries.touch(credential);
      return { accountId: found.id, username: found.username, isAdmin: found.is_admin, via: "token", credential };
    },
  };
}
