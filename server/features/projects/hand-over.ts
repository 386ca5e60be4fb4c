import { actorOf, recordAuditEvent } from "../../platform/audit/audit-log.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { findLimit } from "../../platform/limits/account-limits-queries.ts";
import { lockQuota } from "../../platform/limits/quota-lock.ts";
import { deletedProjectQueries } from "./deleted-projects-queries.ts";
import { memberQueries } from "./members/members-queries.ts";
import { createProjectQueries } from "./projects-queries.ts";
import { leaveTeams } from "./teams/teams-queries.ts";

/** New owners by project. */
export type Transfers = Readonly<Record<string, string>>;

/** To the new owner of a project or a team. */
interface OwnerNotification {
  accountId: string;
  projectId?: string;
  title: string;
  body: string;
}

/** What others have to know about an account that left. */
export interface HandedOver {
  notifications: OwnerNotification[];
  /** The names of the projects that are deleted with the account. */
  deletedProjects: string[];
}

/** What happens to the projects of an account that is deleted. Both run inside its transaction. */
export function createHandOver({ projectsPerAccount }: { projectsPerAccount: number }) {
  async function giveProject(trx: Db, leaver: Caller, id: string, to: string): Promise<OwnerNotification> {
    const inside = createProjectQueries(trx);
    const project = await inside.lockOwned(id, leaver.accountId);
    if (!project) throw new AppError("project_not_found");
    if (!(await inside.lockOwner(to)) || !(await inside.isEditor(id, to))) throw new AppError("transfer_needs_editor");
    const most = await findLimit(trx, "projects", to, projectsPerAccount);
    if ((await inside.countOwned(to)) >= most) throw new AppError("too_many_projects_there");
    await inside.transfer(id, leaver.accountId, to);
    const username = (await memberQueries(trx).username(to)) ?? "";
    await recordAuditEvent(trx, {
      ...{ ...byLeaver(leaver), kind: "project.transfer", projectId: id },
      subject: { kind: "account", id: to, name: username },
      details: { from: leaver.username, to: username },
    });
    const body = `${leaver.username} deleted the account. You decide who may see it, change it and delete it.`;
    return { accountId: to, projectId: id, title: `You own ${project.name} now`, body };
  }

  async function giveTeams(trx: Db, leaver: Caller): Promise<OwnerNotification[]> {
    const notifications: OwnerNotification[] = [];
    for (const { id, name, owner } of await leaveTeams(trx, leaver.accountId)) {
      const event = { ...byLeaver(leaver), subject: { kind: "team", id, name } };
      if (owner === null) {
        await recordAuditEvent(trx, { ...event, kind: "team.delete" });
        continue;
      }
      const details = { change: `made ${owner.username} the owner`, from: leaver.username, to: owner.username };
      await recordAuditEvent(trx, { ...event, kind: "team.change", details });
      const body = `${leaver.username} deleted the account. You say who is in the team, and you can delete it.`;
      notifications.push({ accountId: owner.id, title: `You own the team ${name} now`, body });
    }
    return notifications;
  }

  return {
    /** Before anything else is locked, in one order: two deletions that name the same people must not deadlock. */
    async lockNewOwners(trx: Db, transfers: Transfers): Promise<void> {
      const owners = [...new Set(Object.values(transfers))].toSorted();
      for (const owner of owners) await lockQuota(trx, { what: "projects", owner });
    },

    /** Gives each named project to one of its editors. The others are deleted. */
    async leaveAll(trx: Db, leaver: Caller, transfers: Transfers): Promise<HandedOver> {
      const notifications: OwnerNotification[] = [];
      for (const [id, to] of Object.entries(transfers)) notifications.push(await giveProject(trx, leaver, id, to));
      const deletedProjects = await deletedProjectQueries(trx).disownAllOf(leaver.accountId);
      // After the transfers, which make the old owner an editor.
      await createProjectQueries(trx).removeMemberships(leaver.accountId);
      notifications.push(...(await giveTeams(trx, leaver)));
      return { notifications, deletedProjects };
    },
  };
}

/** The account has lost its name already. */
const byLeaver = (leaver: Caller) => ({ ...actorOf(leaver), actorName: leaver.username });
