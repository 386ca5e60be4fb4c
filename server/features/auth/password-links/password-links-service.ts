import { administration } from "@miranda/contract/admin-limits.ts";
import type { PasswordLinkOwner, UsePasswordLinkBody } from "@miranda/contract/schemas/account/password-links.ts";

import { recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import { hashPassword, hashToken, randomToken } from "../../../platform/crypto.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Visitor } from "../../../platform/http/visitor.ts";
import type { RateLimits } from "../../../platform/limits/rate-limits.ts";
import { createAccessTokenQueries } from "../access-tokens-queries.ts";
import { lockAccountOfLink } from "../auth-queries.ts";
import { passwordLinkQueries } from "./password-links-queries.ts";

export type PasswordLinks = ReturnType<typeof createPasswordLinks>;

interface NewLink {
  /** Where the link leads, without the host. Shown once. */
  address: string;
  expires: Date;
}

/** Links that let somebody set the password of one account, once. */
export function createPasswordLinks({ db, rateLimits }: { db: Db; rateLimits: RateLimits }) {
  const queries = passwordLinkQueries(db);
  const countTry = ({ address }: Visitor) =>
    rateLimits.take([{ key: ["password link", address], most: 100, windowMinutes: 15 }]);

  return {
    /** `by`: the administrator who makes it. Null: it is sent by e-mail. Earlier links of that kind end. */
    async create(trx: Db, accountId: string, by: string | null): Promise<NewLink> {
      const token = randomToken();
      const hours = by === null ? administration.mailLinkHours : administration.linkHours;
      const expires = await passwordLinkQueries(trx).insert({ tokenHash: hashToken(token), accountId, by, hours });
      return { address: `/password/${token}`, expires };
    },

    /** Whose password the link sets. */
    async getOwner(token: string, visitor: Visitor): Promise<PasswordLinkOwner> {
      await countTry(visitor);
      const found = await queries.find(hashToken(token));
      if (!found) throw new AppError("password_link_ended");
      const { username, first_name, last_name } = found;
      return { username, first_name, last_name };
    },

    /** Sets the password and ends every sign-in session and token of the account. The person then signs in with it. */
    async use({ token, password }: UsePasswordLinkBody, visitor: Visitor): Promise<void> {
      await countTry(visitor);
      const tokenHash = hashToken(token);
      // Hashing takes long: not for every token that somebody makes up.
      const owner = await queries.find(tokenHash);
      if (!owner) throw new AppError("password_link_ended");
      const passwordHash = await hashPassword(password);
      await db.transaction().execute(async (trx) => {
        const inside = passwordLinkQueries(trx);
        await lockAccountOfLink(trx, owner.id);
        const accountId = await inside.take(tokenHash);
        if (accountId === undefined || !(await inside.setPassword(accountId, passwordHash)))
          throw new AppError("password_link_ended");
        await inside.endSessionsAndTokens(accountId);
        await createAccessTokenQueries(trx).giveAutomatic(accountId);
        await recordAuditEvent(trx, { kind: "password.reset", actor: accountId, visitor });
      });
    },
  };
}
