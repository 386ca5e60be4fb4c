import type { AccessToken, TokenScope } from "@miranda/contract/schemas/auth.ts";
import type { PageKeyQuery } from "@miranda/contract/schemas/pages.ts";

import { actorOf, recordAuditEvent } from "../../platform/audit/audit-log.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { hashToken, newId, randomToken } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import { findLimit } from "../../platform/limits/account-limits-queries.ts";
import { addWithinQuota } from "../../platform/limits/quota-lock.ts";
import type { Quotas } from "../../platform/limits/quota-settings.ts";
import { createAccessTokenQueries, type NewToken } from "./access-tokens-queries.ts";
import type { SecondFactorRule } from "./second-factor/second-factor-rule.ts";
import type { Proved } from "./proved-account.ts";

const touchEvery = 60_000;

/** What a person asked for. */
export type WantedToken = Omit<NewToken, "id" | "hint" | "token_hash">;

const wordsOf: Record<TokenScope, string> = { all: "everything", read: "read", run: "run", write: "write" };

export function createAccessTokens(db: Db, { tokensPerAccount }: Pick<Quotas, "tokensPerAccount">) {
  const queries = createAccessTokenQueries(db);

  return {
    async create(caller: Caller, owner: Proved, wanted: WantedToken): Promise<string> {
      const token = `mir_${randomToken()}`;
      const { name: given, ...limited } = wanted;
      const name = given || "Execution token";
      const row = { id: newId(), name, hint: token.slice(-4), token_hash: hashToken(token), ...limited };
      await addWithinQuota(db, { what: "access tokens", owner: owner.id }, async (trx) => {
        const inside = createAccessTokenQueries(trx);
        const most = await findLimit(trx, "tokens", owner.id, tokensPerAccount);
        if ((await inside.count(owner.id)) >= most) throw new AppError("too_many_tokens");
        if (!(await inside.insert(owner, row))) throw new AppError("wrong_password");
        // A person who has just proved their identity need not do so again in a week.
        await inside.giveAutomatic(owner.id);
        await recordAuditEvent(trx, {
          ...{ kind: "token.create", ...actorOf(caller), projectId: row.project_id },
          subject: { kind: "token", id: row.id, name },
          details: { scope: wordsOf[row.scope], ...(row.limited_to !== "" && { for: row.limited_to }) },
        });
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
        scope: row.scope,
        limited_to: limitOf(row),
        expires: row.expires_at?.toISOString() ?? null,
        time_created: row.created_at.toISOString(),
        last_used: row.last_used_at.toISOString(),
      }));
    },

    async revoke(caller: Caller, id: string): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const inside = createAccessTokenQueries(trx);
        const revoked = await inside.delete(id, caller.isAdmin ? undefined : caller.accountId);
        if (revoked === undefined) throw new AppError("not_found");
        await inside.noteRevoked(revoked.account_id);
        const { name, project_id: projectId } = revoked;
        await recordAuditEvent(trx, {
          kind: "token.revoke",
          ...actorOf(caller),
          projectId,
          subject: { kind: "token", id, name },
        });
      });
    },

    async authenticate(token: string, isMissing: SecondFactorRule["isMissing"]): Promise<Caller | undefined> {
      const credential = hashToken(token);
      const found = await queries.findLive(credential);
      if (!found) return undefined;
      if (Date.now() - found.seen_at.getTime() > touchEvery) await queries.touch(credential);
      const needsSecondFactor = await isMissing(found, false);
      const { name, scope, project_id: onlyProject, deployment_id } = found;
      return {
        ...{
          accountId: found.id,
          username: found.username,
          via: "token",
          credential,
          token: { name, scope },
          onlyProject,
          needsSecondFactor,
        },
        // What is limited must not reach other people's projects.
        isAdmin: found.is_admin && scope === "all",
        ...(deployment_id !== null && { onlyDeployment: deployment_id }),
      };
    },
  };
}

function limitOf(row: Pick<NewToken, "project_id" | "deployment_id" | "limited_to">): AccessToken["limited_to"] {
  if (row.project_id !== null) return { kind: "project", id: row.project_id, name: row.limited_to };
  if (row.deployment_id !== null) return { kind: "deployment", id: row.deployment_id, name: row.limited_to };
  return null;
}
