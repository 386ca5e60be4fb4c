import type {
  NewPerson,
  PasswordLink,
  PeopleQuery,
  Person,
  PersonPatch,
} from "@miranda/contract/schemas/account/people.ts";
import { AccountQuotas } from "@miranda/contract/schemas/admin.ts";
import type { NewPersonBody } from "@miranda/contract/schemas/auth.ts";
import type { AuditDetails, AuditKind } from "@miranda/contract/schemas/audit.ts";

import { actorOf, recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import { hashPassword, newId, randomToken } from "../../../platform/crypto.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { type CountedPage, findCounted } from "../../../platform/http/list-total.ts";
import { type Installation, withoutNull } from "../../../platform/installation/installation.ts";
import { trialOf } from "../../../platform/installation/trial-of.ts";
import { addAccount, endSessionsOf } from "../../auth/auth-queries.ts";
import { avatarAddress, takenError } from "../../auth/auth-service.ts";
import { adminQueries } from "../../auth/admin-queries.ts";
import type { PasswordLinks } from "../../auth/password-links/password-links-service.ts";
import { type AccountChange, peopleQueries, type PersonRow } from "./people-queries.ts";

interface Dependencies {
  db: Db;
  installation: Pick<Installation, "readNow">;
  passwordLinks: Pick<PasswordLinks, "create">;
  sessions: SessionsOfAccounts;
}

export interface SessionsOfAccounts {
  stopAllOf(accountId: string, reason: string): Promise<void>;
  /** Ends those that have not started. */
  finishQueuedOf(accountId: string, reason: string): Promise<void>;
}

const stopped = "The session was stopped: an administrator disabled the account that started it.";

export type People = ReturnType<typeof createPeople>;

/** What administrators do with accounts. Every event is recorded in its own transaction. */
export function createPeople({ db, installation, passwordLinks, sessions }: Dependencies) {
  async function getPerson(id: string): Promise<Person> {
    const row = await peopleQueries(db).find(id);
    if (!row) throw new AppError("account_not_found");
    return toPerson(row);
  }

  async function lockPerson(trx: Db, id: string) {
    const account = await peopleQueries(trx).lock(id);
    if (!account) throw new AppError("account_not_found");
    return account;
  }

  async function makeLink(trx: Db, caller: Caller, account: { id: string; username: string }): Promise<PasswordLink> {
    const { address, expires } = await passwordLinks.create(trx, account.id, caller.accountId);
    await recordAuditEvent(trx, { ...actorOf(caller), kind: "password.link", subject: subjectOf(account) });
    return { address, time_expires: expires.toISOString() };
  }

  return {
    getPerson,

    async list(query: PeopleQuery): Promise<CountedPage<Person>> {
      const { items, total } = await findCounted(query, (limit) => peopleQueries(db).list({ ...query, limit }));
      return { items: items.map(toPerson), total };
    },

    /** The account has no password that anybody knows, until its owner sets one with the link. */
    async create(caller: Caller, { is_admin: isAdmin, ...person }: NewPersonBody): Promise<NewPerson> {
      const id = newId();
      const password_hash = await hashPassword(randomToken());
      const trial = trialOf(await installation.readNow());
      try {
        const link = await db.transaction().execute(async (trx) => {
          await addAccount(trx, { ...person, id, password_hash, ...trial }, isAdmin);
          const subject = subjectOf({ id, username: person.username });
          await recordAuditEvent(trx, { ...actorOf(caller), kind: "admin.account_create", subject });
          if (isAdmin) await recordAuditEvent(trx, { ...actorOf(caller), kind: "admin.admin_add", subject });
          return makeLink(trx, caller, { id, username: person.username });
        });
        return { person: await getPerson(id), link };
      } catch (error) {
        throw takenError(error);
      }
    },

    async change(caller: Caller, id: string, patch: PersonPatch): Promise<Person> {
      await db.transaction().execute(async (trx) => {
        const inside = peopleQueries(trx);
        const admins = adminQueries(trx);
        await admins.lockAdmins();
        const account = await lockPerson(trx, id);
        if (account.admin_version !== patch.version) throw new AppError("account_changed");
        const { change, events } = changesOf(account, patch);
        const isLeaving = change.is_admin === false || (account.is_admin && change.disabled_at);
        if (change.disabled_at && id === caller.accountId) throw new AppError("own_account");
        if (isLeaving && !(await admins.hasOtherAdmin(id))) throw new AppError("last_admin_kept");
        if (events.length === 0) return;
        await inside.change(id, change);
        if (change.disabled_at) {
          await endSessionsOf(trx, id);
          await inside.endPasswordLinks(id);
        }
        for (const event of events)
          await recordAuditEvent(trx, { ...actorOf(caller), subject: subjectOf(account), ...event });
      });
      if (patch.disabled === true)
        await (patch.stop_sessions ? sessions.stopAllOf : sessions.finishQueuedOf)(id, stopped);
      return getPerson(id);
    },

    makePasswordLink: (caller: Caller, id: string): Promise<PasswordLink> =>
      db.transaction().execute(async (trx) => {
        const account = await lockPerson(trx, id);
        if (account.disabled_at) throw new AppError("account_disabled", "This account is disabled. Enable it first.");
        return makeLink(trx, caller, account);
      }),

    /** Returns how many browsers were signed out. */
    signOut: (caller: Caller, id: string): Promise<number> =>
      db.transaction().execute(async (trx) => {
        const account = await lockPerson(trx, id);
        const browsers = await endSessionsOf(trx, id);
        await recordAuditEvent(trx, {
          ...{ ...actorOf(caller), kind: "admin.sign_out", subject: subjectOf(account), details: { browsers } },
        });
        return browsers;
      }),
  };
}

const subjectOf = ({ id, username }: { id: string; username: string }) => ({ kind: "account", id, name: username });

interface Change {
  change: AccountChange;
  events: { kind: AuditKind; details?: AuditDetails }[];
}

/** What differs from the account as it is, and how it is recorded. */
function changesOf(account: { is_admin: boolean; disabled_at: Date | null }, patch: PersonPatch): Change {
  const change: AccountChange = {};
  const events: Change["events"] = [];
  if (patch.is_admin !== undefined && patch.is_admin !== account.is_admin) {
    change.is_admin = patch.is_admin;
    events.push({ kind: patch.is_admin ? "admin.admin_add" : "admin.admin_remove" });
  }
  if (patch.disabled !== undefined && patch.disabled !== (account.disabled_at !== null)) {
    change.disabled_at = patch.disabled ? new Date() : null;
    events.push({ kind: patch.disabled ? "admin.account_disable" : "admin.account_enable" });
  }
  const changed = (words: string) => events.push({ kind: "admin.account_change", details: { change: words } });
  if (patch.subscribed !== undefined) {
    change.subscribed = patch.subscribed;
    changed(patch.subscribed ? "subscribed" : "not subscribed");
  }
  if (patch.trial_until !== undefined) {
    Object.assign(change, { trial: patch.trial_until !== null, trial_end: patch.trial_until });
    changed(patch.trial_until ? `trial until ${patch.trial_until.toISOString().slice(0, 10)}` : "no trial");
  }
  if (patch.quotas !== undefined) {
    const quotas = withoutNull(patch.quotas);
    change.quotas = JSON.stringify(quotas);
    const words = Object.entries(quotas).map(([name, most]) => `${name} ${most}`);
    changed(`limits: ${words.join(", ") || "those of the installation"}`);
  }
  return { change, events };
}

function toPerson(row: PersonRow): Person {
  const { id, username, first_name, last_name, email, is_admin, credits, trial: isTrial, subscribed } = row;
  return {
    ...{ id, username, first_name, last_name, email, is_admin, credits, trial: isTrial, subscribed },
    avatar: avatarAddress(id, row.avatar_version),
    time_disabled: row.disabled_at?.toISOString() ?? null,
    last_seen: row.last_seen_at?.toISOString() ?? null,
    time_created: row.created_at.toISOString(),
    trial_end: row.trial_end?.toISOString() ?? null,
    has_second_factor: row.has_second_factor,
    projects: row.projects,
    running: row.running,
    quotas: AccountQuotas.parse(row.quotas),
    version: row.admin_version,
  };
}
