import { recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import { hashToken, randomToken } from "../../../platform/crypto.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { Visitor } from "../../../platform/http/visitor.ts";
import type { RateLimits } from "../../../platform/limits/rate-limits.ts";
import type { Mail } from "../../../platform/mail/mail.ts";
import { lockAccountOfLink } from "../auth-queries.ts";
import { nameHash } from "../password-allowances.ts";
import { createEmailQueries } from "./email-queries.ts";
import { confirmationMail, passwordResetMail } from "./email-words.ts";

interface Dependencies {
  db: Db;
  mail: Pick<Mail, "configured" | "allow" | "send" | "wake" | "linkTo">;
  rateLimits: RateLimits;
  report: (error: unknown) => void;
}

/** Makes the one-time path where an account sets its password, inside a transaction. */
type PasswordLink = (trx: Db, accountId: string) => Promise<string>;

const resetsPerName = 5;
const resetsPerAddress = 30;
const confirmationsPerHour = 5;
const guessesPerQuarter = 60;

export type Emails = ReturnType<typeof createEmails>;

/** Confirming an e-mail address, and mails for forgotten passwords. */
export function createEmails({ db, mail, rateLimits, report }: Dependencies) {
  const queries = createEmailQueries(db);
  const pending = new Set<Promise<void>>();

  /** After the answer: nobody can tell from its time whether there is such an account. */
  function later(work: () => Promise<void>): void {
    const done = work()
      .catch((error: unknown) => {
        // Nobody waits for the answer: a mail too many is not sent.
        if (!(error instanceof AppError && error.code === "too_many_attempts")) report(error);
      })
      .finally(() => pending.delete(done));
    pending.add(done);
  }

  async function sendConfirmation(accountId: string): Promise<void> {
    const account = await queries.findUnconfirmed(accountId);
    if (!account) return;
    await mail.allow("confirmation", account.email);
    const token = randomToken();
    await queries.replaceConfirmation(account.id, account.email, hashToken(token));
    await mail.send(confirmationMail(account, mail.linkTo(`/confirm/${token}`)));
  }

  async function sendReset(login: string, visitor: Visitor, passwordLink: PasswordLink): Promise<void> {
    const account = await queries.findByLogin(login);
    if (!account) return;
    // Before the new link ends the one that was mailed earlier.
    await mail.allow("password", account.email);
    await db.transaction().execute(async (trx) => {
      // A change of the address ends all links. None may be mailed to the old address after it.
      if (!(await createEmailQueries(trx).lockAddress(account.id, account.email))) return;
      const path = await passwordLink(trx, account.id);
      const subject = { kind: "account", id: account.id, name: account.username };
      await recordAuditEvent(trx, { kind: "password.forgot", actor: null, visitor, subject });
      await mail.send(passwordResetMail(account, account.username, mail.linkTo(path)), trx);
    });
    mail.wake();
  }

  async function takeConfirmation(accountId: string): Promise<void> {
    const key = ["confirm e-mail", accountId];
    await rateLimits.take([{ key, most: confirmationsPerHour, windowMinutes: 60 }]);
  }

  return {
    offered: mail.configured,

    /** After a registration or a change of the address. The person does not wait for it. */
    askToConfirm(accountId: string): void {
      if (!mail.configured) return;
      later(async () => {
        await takeConfirmation(accountId);
        await sendConfirmation(accountId);
      });
    },

    async sendAgain(caller: Caller): Promise<void> {
      if (!mail.configured) throw new AppError("mail_off");
      await takeConfirmation(caller.accountId);
      await sendConfirmation(caller.accountId);
    },

    async confirm(token: string, visitor: Visitor): Promise<void> {
      const allowance = [{ key: ["confirm", visitor.address], most: guessesPerQuarter, windowMinutes: 15 }];
      await rateLimits.take(allowance);
      await db.transaction().execute(async (trx) => {
        const inside = createEmailQueries(trx);
        const known = await inside.findConfirmation(hashToken(token));
        if (known) await lockAccountOfLink(trx, known.account_id);
        const found = await inside.takeConfirmation(hashToken(token));
        if (!found || !(await inside.setVerified(found.account_id, found.email)))
          throw new AppError("confirmation_unknown");
        await recordAuditEvent(trx, { kind: "email.confirm", actor: found.account_id, visitor });
      });
      await rateLimits.refund(allowance);
    },

    /** The same answer, in the same time, whether or not there is such an account. */
    async forgot(login: string, visitor: Visitor, passwordLink: PasswordLink): Promise<void> {
      if (!mail.configured) throw new AppError("mail_off");
      await rateLimits.take([
        { key: ["forgot", "name", nameHash(login)], most: resetsPerName, windowMinutes: 60 },
        { key: ["forgot", "address", visitor.address], most: resetsPerAddress, windowMinutes: 60 },
      ]);
      later(() => sendReset(login, visitor, passwordLink));
    },

    sweep: queries.sweep,

    async close(): Promise<void> {
      await Promise.all(pending);
    },
  };
}
