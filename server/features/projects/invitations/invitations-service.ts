import { invitation as limits } from "@miranda/contract/schemas/people/limits.ts";
import type { MemberRole } from "@miranda/contract/schemas/members.ts";
import type {
  AcceptedInvitation,
  Invitation,
  NewInvitation,
  OpenedInvitation,
} from "@miranda/contract/schemas/people/invitations.ts";

import type { AuditEvent } from "../../../platform/audit/audit-event.ts";
import { actorOf, recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import { hashToken, newId, randomToken } from "../../../platform/crypto.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { Visitor } from "../../../platform/http/visitor.ts";
import { addWithinQuota } from "../../../platform/limits/quota-lock.ts";
import type { RateLimits } from "../../../platform/limits/rate-limits.ts";
import type { Mail } from "../../../platform/mail/mail.ts";
import type { AddressProof } from "../../auth/admission.ts";
import { memberQueries } from "../members/members-queries.ts";
import type { AddNotification, ChangeMembership, MembershipNotification } from "../members/membership-notifications.ts";
import { createProjectQueries } from "../projects-queries.ts";
import type { Projects } from "../projects-service.ts";
import { type InvitationByToken, invitationQueries, type InvitationRow } from "./invitations-queries.ts";

interface Dependencies {
  db: Db;
  projects: Pick<Projects, "getProject" | "accessTo">;
  rateLimits: Pick<RateLimits, "take" | "refund">;
  mail: Pick<Mail, "configured" | "linkTo" | "allow" | "send" | "wake">;
  changeMembership: ChangeMembership;
  add: AddNotification;
  /** Whether somebody with this invitation may register. */
  mayRegister(on: Db, invitation: { inviter_is_admin: boolean }): Promise<boolean>;
}

export type Invitations = ReturnType<typeof createInvitations>;

/** Who uses an invitation. */
interface Invitee {
  id: string;
  username: string;
  email: string;
}

interface Unconfirmed {
  /** Nobody has shown that they read the mails of the address. */
  email_unconfirmed: boolean;
}

/** Links that let one person into a project, and into an installation where not everybody can register. */
export function createInvitations({
  db,
  projects,
  rateLimits,
  mail,
  changeMembership,
  add,
  mayRegister,
}: Dependencies) {
  const queries = invitationQueries(db);

  async function create(
    caller: Caller,
    to: { project: { id: string; name: string } | null; role: MemberRole | null; email: string },
  ): Promise<NewInvitation> {
    await rateLimits.take([{ key: ["invite", caller.accountId], most: limits.perHour, windowMinutes: 60 }]);
    const { project, role } = to;
    const email = to.email === "" ? null : to.email;
    const mailed = mail.configured && email !== null;
    if (mailed) await mail.allow("invitation", email);
    const id = newId();
    const token = randomToken();
    // Whoever invites sees the other link, so only this one proves that somebody reads the mails of the address.
    const mailedToken = mailed ? randomToken() : undefined;
    await addWithinQuota(db, { what: "invitations", owner: project?.id ?? "installation" }, async (trx) => {
      const inside = invitationQueries(trx);
      if ((await inside.countOpen(project?.id ?? null)) >= limits.openMax) throw new AppError("too_many_invitations");
      await inside.insert({
        ...{ id, inviter_id: caller.accountId, project_id: project?.id ?? null, role, email },
        ...{ token_hash: hashToken(token), mailed_token_hash: mailedToken ? hashToken(mailedToken) : null },
      });
      await recordAuditEvent(trx, {
        ...{ ...actorOf(caller), kind: "invitation.create", projectId: project?.id ?? null },
        subject: { kind: "invitation", id, name: email ?? "" },
      });
      if (mailedToken === undefined || email === null) return;
      await mail.send(invitationMail(caller, { email, project, link: mail.linkTo(pathOf(mailedToken)) }), trx);
    });
    mail.wake();
    const row = await queries.find(id);
    if (!row) throw new AppError("invitation_not_found");
    return { invitation: toInvitation(row), path: pathOf(token), mailed };
  }

  /** Refuses one that cannot be used, with the reason. Whoever has the link may know it. */
  async function getUsable(on: Db, token: string, lock = false): Promise<InvitationByToken> {
    const invitation = await invitationQueries(on).findByToken(hashToken(token), lock);
    if (!invitation) throw new AppError("invitation_not_found");
    if (invitation.state === "used") throw new AppError("invitation_used");
    if (invitation.state === "withdrawn") throw new AppError("invitation_withdrawn");
    if (invitation.state === "expired") throw new AppError("invitation_expired");
    if (!invitation.inviter_may_invite) throw new AppError("invitation_inviter_lost_rights");
    return invitation;
  }

  /** Counts unknown tokens, so that nobody tries many. */
  async function countMisses<Result>({ address }: Visitor, look: () => Promise<Result>): Promise<Result> {
    const allowance = [{ key: ["invitation", address], most: limits.missesPerQuarter, windowMinutes: 15 }];
    await rateLimits.take(allowance);
    try {
      const result = await look();
      await rateLimits.refund(allowance);
      return result;
    } catch (error) {
      if (error instanceof AppError && error.code !== "invitation_not_found") await rateLimits.refund(allowance);
      throw error;
    }
  }

  function checkAddress({ email }: InvitationByToken, given: string): void {
    if (email !== null && email.toLowerCase() !== given.toLowerCase())
      throw new AppError("invitation_other_address", `This invitation is for ${email}. Nobody else can use it.`);
  }

  /** An address that anybody can write down proves nothing, unless this installation cannot send mails. */
  const needsProof = (invitation: InvitationByToken) =>
    invitation.email !== null && !invitation.proves_address && mail.configured;

  async function checkRegistration(on: Db, invitation: InvitationByToken, email: string): Promise<void> {
    checkAddress(invitation, email);
    if (!(await mayRegister(on, invitation))) throw new AppError("invitation_not_enough");
  }

  /** Lets somebody in, inside a transaction that has locked the invitation. */
  async function admit(
    trx: Db,
    invitation: InvitationByToken,
    invitee: Invitee,
    from: Pick<AuditEvent, "visitor" | "token">,
  ): Promise<MembershipNotification> {
    const { project_id: projectId, role } = invitation;
    if (projectId !== null && role !== null) {
      const owner = await createProjectQueries(trx).lockForMember(projectId);
      // The project may have a new owner since the invitation was read.
      if (owner === undefined || (owner !== invitation.owner_id && !invitation.inviter_is_admin))
        throw new AppError("invitation_inviter_lost_rights");
      const inside = memberQueries(trx);
      const before = await inside.lockRole(projectId, invitee.id);
      const isBetter = before === "viewer" && role === "editor";
      if (owner === invitee.id || (before && !isBetter)) throw new AppError("already_member");
      await (before ? inside.change(projectId, invitee.id, role) : inside.add(projectId, invitee.id, role));
    }
    await invitationQueries(trx).use(invitation.id, invitee.id);
    const subject = { kind: "account", id: invitee.id, name: invitee.username };
    await recordAuditEvent(trx, { ...from, actor: invitee.id, kind: "invitation.accept", projectId, subject });
    const place = invitation.project_name ?? "Miranda";
    return {
      ...{ accountId: invitation.inviter_id, title: `${invitee.username} accepted your invitation` },
      ...{ ...(projectId && { projectId }), body: `They are in ${place} now.` },
    };
  }

  return {
    async inviteToProject(caller: Caller, id: string, { role, email }: { role: MemberRole; email: string }) {
      const { name } = await projects.getProject(caller, id, "own");
      return create(caller, { project: { id, name }, role, email });
    },

    async inviteToInstallation(caller: Caller, { email }: { email: string }) {
      if (!caller.isAdmin) throw new AppError("not_admin");
      return create(caller, { project: null, role: null, email });
    },

    async listOfProject(caller: Caller, id: string): Promise<Invitation[]> {
      await projects.getProject(caller, id, "own");
      return (await queries.ofProject(id)).map(toInvitation);
    },

    async listOfInstallation(caller: Caller): Promise<Invitation[]> {
      if (!caller.isAdmin) throw new AppError("not_admin");
      return (await queries.ofInstallation()).map(toInvitation);
    },

    /** The owner of the project withdraws it. One to the installation, an administrator. */
    async withdraw(caller: Caller, id: string): Promise<void> {
      const row = await queries.find(id);
      const access = row?.project_id ? await projects.accessTo(caller, row.project_id) : null;
      if (!row || (access !== "owner" && !caller.isAdmin)) throw new AppError("invitation_not_found");
      await db.transaction().execute(async (trx) => {
        if (!(await invitationQueries(trx).withdraw(id))) throw new AppError("invitation_ended");
        const subject = { kind: "invitation", id, name: row.email ?? "" };
        await recordAuditEvent(trx, {
          ...actorOf(caller),
          kind: "invitation.withdraw",
          projectId: row.project_id,
          subject,
        });
      });
    },

    /** For whoever has the link, signed in or not. */
    open: (token: string, visitor: Visitor): Promise<OpenedInvitation> =>
      countMisses(visitor, async () => {
        const invitation = await getUsable(db, token);
        const { project_name, role, inviter, email, expires_at } = invitation;
        const can_register = await mayRegister(db, invitation);
        return { project: project_name, role, inviter, email, time_expires: expires_at.toISOString(), can_register };
      }),

    /** For somebody who has an account. */
    accept: (
      caller: Caller,
      invitee: Invitee & Unconfirmed,
      token: string,
      visitor: Visitor,
    ): Promise<AcceptedInvitation> =>
      countMisses(visitor, () =>
        changeMembership(caller, async (trx, notify) => {
          const invitation = await getUsable(trx, token, true);
          checkAddress(invitation, invitee.email);
          if (needsProof(invitation) && invitee.email_unconfirmed) throw new AppError("invitation_unconfirmed");
          if (invitation.project_id === null) throw new AppError("invitation_for_new");
          await notify(await admit(trx, invitation, { ...invitee, id: caller.accountId }, actorOf(caller)));
          return { project_id: invitation.project_id };
        }),
      ),

    check: (token: string, email: string, visitor: Visitor): Promise<AddressProof> =>
      countMisses(visitor, async () => {
        const invitation = await getUsable(db, token);
        await checkRegistration(db, invitation, email);
        return invitation.proves_address ? "proved" : needsProof(invitation) ? "needed" : "not needed";
      }),

    /**
     * In the transaction that makes the account: two people with one link do not both get in. Call what it returns after
     * the transaction.
     */
    async use(trx: Db, token: string, invitee: Invitee, visitor: Visitor): Promise<() => Promise<void>> {
      const invitation = await getUsable(trx, token, true);
      await checkRegistration(trx, invitation, invitee.email);
      return add(trx, await admit(trx, invitation, invitee, { visitor }));
    },

    sweep: () => queries.sweep(),
  };
}

function toInvitation({ created_at, expires_at, ...row }: InvitationRow): Invitation {
  return { ...row, time_created: created_at.toISOString(), time_expires: expires_at.toISOString() };
}

function invitationMail(
  { username }: Caller,
  { email, project, link }: { email: string; project: { name: string } | null; link: string },
) {
  const place = project ? `the project ${oneLine(project.name)} on Miranda` : "Miranda";
  return {
    to: email,
    subject: `${username} invites you to ${project ? oneLine(project.name) : "Miranda"}`.slice(0, 200),
    text: [
      `${username} invites you to ${place}.`,
      `Open this link to accept. It works once, for ${limits.days} days, and only with this e-mail address:`,
      link,
      "If you do not know what this is about, ignore this e-mail.",
    ].join("\n\n"),
  };
}

const pathOf = (token: string) => `/invitation/${token}`;

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");
