import { randomInt } from "node:crypto";

import { recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import { hashPassword, newId, randomToken } from "../../../platform/crypto.ts";
import { type Db, violatedUnique } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Visitor } from "../../../platform/http/visitor.ts";
import type { ProviderSettings } from "../../../platform/settings/provider-settings.ts";
import type { Installation } from "../../../platform/installation/installation.ts";
import { trialOf } from "../../../platform/installation/trial-of.ts";
import type { Auth } from "../auth-service.ts";
import { requireRegistration } from "../registration-rule.ts";
import { createAuthQueries } from "../auth-queries.ts";
import { adminQueries } from "../admin-queries.ts";
import type { Proved } from "../proved-account.ts";
import type { ProviderPerson } from "./provider-person.ts";
import { createProviderQueries } from "./providers-queries.ts";

interface Arrival {
  invitation: string;
  visitor: Visitor;
}

interface Dependencies {
  db: Db;
  askToConfirm: (accountId: string) => void;
  installation: Pick<Installation, "readNow">;
  auth: Pick<Auth, "admissionFor">;
}

const namesTried = 20;

/** Which account a person of a provider has here. */
export function createProviderAccounts({ db, askToConfirm, installation, auth }: Dependencies) {
  const queries = createProviderQueries(db);

  /**
   * Never joins an existing account because of its e-mail: whoever can register that address at the provider could take
   * the account over.
   */
  async function register(provider: ProviderSettings, person: ProviderPerson, arrival: Arrival): Promise<void> {
    if (!provider.registration) throw new AppError("provider_no_registration");
    if (person.email === "") throw new AppError("provider_no_email");
    const invited = auth.admissionFor(arrival.invitation);
    const proof = await invited?.check(arrival.invitation, person.email, arrival.visitor);
    // Whoever writes any address into their profile at the provider must not take another's invitation.
    if (proof === "needed" && !person.isEmailVerified) throw new AppError("provider_email_unverified");
    const names = Array.from(
      { length: namesTried },
      (_, i) => person.username + (i === 0 ? "" : randomInt(10, 10_000)),
    );
    for (const username of names) {
      try {
        return await insert(provider, person, username, arrival);
      } catch (error) {
        const index = violatedUnique(error);
        // Two browsers of one person at once: the other one made the account.
        if (index !== undefined && (await queries.findIdentity(provider.id, person.subject))) return;
        if (index === "accounts_email") throw new AppError("provider_email_taken");
        if (index !== "accounts_username") throw error;
      }
    }
    throw new AppError("username_taken");
  }

  async function admit(trx: Db, { registration }: ProviderSettings, person: ProviderPerson): Promise<void> {
    if (registration === "always") return;
    const rule = await installation.readNow(trx);
    // Whoever writes any address into their profile at the provider must not belong to the domain.
    if (rule.registration === "domains" && !person.isEmailVerified) throw new AppError("provider_email_unverified");
    requireRegistration(rule, person.email);
  }

  async function insert(
    provider: ProviderSettings,
    person: ProviderPerson,
    username: string,
    { visitor, invitation }: Arrival,
  ): Promise<void> {
    const { subject, email } = person;
    const id = newId();
    const invited = auth.admissionFor(invitation);
    let afterwards: (() => Promise<void>) | undefined;
    // Nobody knows this password. The person can set one later.
    const password_hash = await hashPassword(randomToken());
    await createAuthQueries(db).insertAccount(
      {
        ...{ id, username, email, first_name: person.firstName, last_name: person.lastName },
        ...{ password_hash, generated_password_hash: password_hash },
        email_verified_at: person.isEmailVerified ? new Date() : null,
        ...trialOf(await installation.readNow()),
      },
      async (trx) => {
        // An invitation is checked with its own rule, after the account is there.
        if (!invited) await admit(trx, provider, person);
      },
      async (trx) => {
        await createProviderQueries(trx).insertIdentity({ provider: provider.id, subject, account_id: id, email });
        const details = { provider: provider.name };
        await recordAuditEvent(trx, { kind: "account.register", actor: id, visitor, details });
        afterwards = await invited?.use(trx, invitation, { id, username, email }, visitor);
      },
    );
    await afterwards?.();
    if (!person.isEmailVerified) askToConfirm(id);
  }

  /** Groups decide at every sign-in who is an administrator. The last administrator stays one. */
  async function followGroups(provider: ProviderSettings, person: ProviderPerson, accountId: string): Promise<void> {
    if (provider.adminGroups.length === 0) return;
    const isAdmin = person.groups.some((group) => provider.adminGroups.includes(group));
    await db.transaction().execute(async (trx) => {
      const admins = adminQueries(trx);
      await admins.lockAdmins();
      const inside = createProviderQueries(trx);
      const account = await inside.lockAccount(accountId);
      if (!account || account.is_admin === isAdmin) return;
      if (!isAdmin && !(await admins.hasOtherAdmin(accountId))) return;
      await inside.setAdmin(accountId, isAdmin);
      await recordAuditEvent(trx, {
        ...{ kind: isAdmin ? "admin.admin_add" : "admin.admin_remove", actor: null },
        ...{
          subject: { kind: "account", id: accountId, name: account.username },
          details: { groups_of: provider.name },
        },
      });
    });
  }

  return {
    /** The account of the person, made if need be and allowed. */
    async enter(
      provider: ProviderSettings,
      person: ProviderPerson,
      arrival: Arrival,
    ): Promise<{ account: Proved; isNew: boolean }> {
      const known = await queries.findIdentity(provider.id, person.subject);
      if (!known) await register(provider, person, arrival);
      const account = known ?? (await queries.findIdentity(provider.id, person.subject));
      if (!account) throw new AppError("provider_answer");
      await queries.touchIdentity(provider.id, person.subject, person.email);
      if (person.isEmailVerified) await queries.noteVerified(account.id, person.email);
      await followGroups(provider, person, account.id);
      return { account, isNew: !known };
    },
  };
}
