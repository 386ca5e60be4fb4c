import type { AddMemberBody, MemberPageQuery, MemberRole, ProjectMember } from "@miranda/contract/schemas/members.ts";

import { actorOf, recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { type CountedPage, findCounted } from "../../../platform/http/list-total.ts";
import { type Auth, avatarAddress } from "../../auth/auth-service.ts";
import type { Projects } from "../projects-service.ts";
import { lockOwner } from "./lock-owner.ts";
import { memberQueries } from "./members-queries.ts";
import type { ChangeMembership } from "./membership-notifications.ts";

interface Dependencies {
  db: Db;
  auth: Pick<Auth, "getAccountByLogin">;
  projects: Pick<Projects, "getProject">;
  changeMembership: ChangeMembership;
}

export type Members = ReturnType<typeof createMembers>;

/** The people who are members of a project themselves. */
export function createMembers({ db, auth, projects, changeMembership }: Dependencies) {
  const queries = memberQueries(db);

  return {
    async list(caller: Caller, id: string, page: MemberPageQuery): Promise<CountedPage<ProjectMember>> {
      const { access } = await projects.getProject(caller, id, "read");
      const { items, total } = await findCounted(page, (limit) => queries.list(id, { ...page, limit }));
      const members = items.map(({ avatar_version, ...row }) => ({
        ...row,
        // Everybody may read a public project. Only its members see e-mail addresses.
        email: access === "viewer" && row.id !== caller.accountId ? "" : row.email,
        avatar: avatarAddress(row.id, avatar_version),
      }));
      return { items: members, total };
    },

    async add(caller: Caller, id: string, { user, role }: AddMemberBody): Promise<void> {
      const { owner_id, name } = await projects.getProject(caller, id, "own");
      const account = await auth.getAccountByLogin(caller, user);
      await changeMembership(caller, async (trx, notify) => {
        const owner = await lockOwner(trx, caller, id, owner_id);
        if (account.id === owner || !(await memberQueries(trx).add(id, account.id, role)))
          throw new AppError("already_member");
        await recordAuditEvent(trx, { ...actorOf(caller), kind: "member.add", ...about(id, account, role) });
        await notify({
          ...{ accountId: account.id, projectId: id, title: `${caller.username} shares ${name} with you` },
          body: rights[role],
        });
      });
    },

    async change(caller: Caller, id: string, memberId: string, role: MemberRole): Promise<void> {
      const { owner_id, name } = await projects.getProject(caller, id, "own");
      if (memberId === owner_id) throw new AppError("owner_is_member");
      await changeMembership(caller, async (trx, notify) => {
        const inside = memberQueries(trx);
        await lockOwner(trx, caller, id, owner_id);
        const before = await inside.lockRole(id, memberId);
        if (!before || !(await inside.change(id, memberId, role))) throw new AppError("member_not_found");
        if (before === role) return;
        const username = await inside.username(memberId);
        await recordAuditEvent(trx, {
          ...actorOf(caller),
          kind: "member.change",
          ...about(id, { id: memberId, username }, role),
        });
        await notify({
          ...{ accountId: memberId, projectId: id, title: `${caller.username} changed your role in ${name}` },
          body: rights[role],
        });
      });
    },

    /** An owner removes anybody. Everybody else may only remove themselves. */
    async remove(caller: Caller, id: string, memberId: string): Promise<void> {
      const isLeaving = memberId === caller.accountId;
      const { owner_id, name } = await projects.getProject(caller, id, isLeaving ? "read" : "own");
      if (memberId === owner_id) throw new AppError("last_owner");
      await changeMembership(caller, async (trx, notify) => {
        const inside = memberQueries(trx);
        if (!isLeaving) await lockOwner(trx, caller, id, owner_id);
        if (!(await inside.remove(id, memberId)))
          throw new AppError((await inside.isInThroughTeam(id, memberId)) ? "member_through_team" : "member_not_found");
        const member = { id: memberId, username: await inside.username(memberId) };
        const kind = isLeaving ? "member.leave" : "member.remove";
        await recordAuditEvent(trx, { ...actorOf(caller), kind, ...about(id, member) });
        const staysThroughTeam = await inside.isInThroughTeam(id, memberId);
        const notification = isLeaving
          ? { accountId: owner_id, title: `${caller.username} left ${name}`, body: "They are no longer a member." }
          : {
              ...{ accountId: memberId, title: `${caller.username} removed you from ${name}` },
              body: staysThroughTeam
                ? "You are still in it through a team."
                : "You are no longer a member of this project.",
            };
        // Without the project: a link would lead nowhere.
        await notify(isLeaving || staysThroughTeam ? { ...notification, projectId: id } : notification);
      });
    },
  };
}

/** What a role means, in the words of a notification. */
export const rights: Record<MemberRole, string> = {
  viewer: "You are a viewer: you can read and clone its workflows.",
  editor: "You are an editor: you can change its workflows and run them.",
};

/** For the audit log: "made ada an editor of Tides". */
export const roleWords: Record<MemberRole, string> = { viewer: "a viewer", editor: "an editor" };

function about(
  projectId: string,
  { id, username = "" }: { id: string; username?: string | undefined },
  role?: MemberRole,
) {
  return {
    projectId,
    subject: { kind: "account", id, name: username },
    ...(role && { details: { role: roleWords[role] } }),
  };
}
