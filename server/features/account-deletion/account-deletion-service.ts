import type { AccountDeletion, DeleteAccountBody } from "@miranda/contract/schemas/account/account-deletion.ts";

import type { BackgroundWork } from "../../platform/background-work.ts";
import type { Db } from "../../platform/database/database.ts";
import { actorOf, recordAuditEvent } from "../../platform/audit/audit-log.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Visitor } from "../../platform/http/visitor.ts";
import type { Auth } from "../auth/auth-service.ts";
import type { NotificationsFeature } from "../notifications/notifications-service.ts";
import type { Projects } from "../projects/projects-service.ts";
import { createAccountDeletionQueries, type Leftover } from "./account-deletion-queries.ts";

interface Dependencies {
  db: Db;
  auth: Pick<Auth, "confirmPassword" | "erase" | "isOnlyAdmin">;
  projects: Pick<Projects, "lockNewOwners" | "leaveAll" | "removeDisowned">;
  sessions: {
    stopAllOf(accountId: string, reason: string): Promise<void>;
    /** `more` while some can be removed, `waiting` while some still run. */
    removeBatchOf(accountId: string): Promise<"more" | "waiting" | "done">;
  };
  notifications: Pick<NotificationsFeature, "add">;
  background: Pick<BackgroundWork, "add" | "wake">;
  report(error: unknown): void;
}

const stopped = "The session was stopped: the account that started it was deleted.";

export type AccountDeletions = ReturnType<typeof createAccountDeletions>;

/** Deletes accounts: their name and every way to sign in at once, the rest in the background. */
export function createAccountDeletions({ db, auth, projects, sessions, background, report, ...deps }: Dependencies) {
  const queries = createAccountDeletionQueries(db);

  async function removeBatchOf(leftover: Leftover): Promise<"more" | "waiting" | "done"> {
    const removed = await queries.removeBatch(leftover);
    if (removed !== "nothing left") return removed === "busy" ? "waiting" : "more";
    const left = await sessions.removeBatchOf(leftover.account_id);
    if (left === "done") await queries.finish(leftover.account_id);
    return left;
  }

  background.add(async () => {
    const states = [];
    for (const leftover of await queries.listLeftovers()) states.push(await removeBatchOf(leftover));
    return states.includes("more") ? "more" : states.includes("waiting") ? "waiting" : "done";
  });

  return {
    async preview(caller: Caller): Promise<AccountDeletion> {
      const [content, people, deployments, shared, isOnlyAdmin] = await Promise.all([
        queries.countContent(caller.accountId),
        queries.countPeople(caller.accountId),
        queries.deployments(caller.accountId),
        queries.sharedProjects(caller.accountId),
        auth.isOnlyAdmin(caller),
      ]);
      return { ...content, ...people, ...deployments, shared_projects: shared, is_only_admin: isOnlyAdmin };
    },

    /** All or nothing: when one project cannot be handed over, nothing is deleted. */
    async remove(
      caller: Caller,
      { username, password, projects: transfers }: DeleteAccountBody,
      visitor: Visitor,
    ): Promise<void> {
      if (username.toLowerCase() !== caller.username.toLowerCase()) throw new AppError("wrong_username");
      const proved = await auth.confirmPassword(caller, password, visitor);
      const publishes: ((() => Promise<void>) | undefined)[] = [];
      await db.transaction().execute(async (trx) => {
        await projects.lockNewOwners(trx, transfers);
        await auth.erase(trx, proved);
        const { notifications, deletedProjects } = await projects.leaveAll(trx, caller, transfers);
        await recordAuditEvent(trx, {
          ...{ kind: "account.delete", ...actorOf(caller), actorName: caller.username },
          subject: { kind: "account", id: proved.id, name: caller.username },
          details: { projects: projectWords(deletedProjects), project_count: deletedProjects.length },
        });
        for (const notification of notifications)
          publishes.push(await deps.notifications.add(trx, { ...notification, kind: "membership" }));
        const inside = createAccountDeletionQueries(trx);
        await inside.removeOwnSecrets(proved.id);
        await inside.removeNotifications(proved.id);
        await inside.leaveDeployments(proved.id);
      });
      // The account is deleted, whatever fails from here on: the watch and the background work do the rest.
      for (const publish of publishes) await publish?.().catch(report);
      await sessions.stopAllOf(proved.id, stopped).catch(report);
      await projects.removeDisowned().catch(report);
      background.wake();
    },
  };
}

const named = { most: 20, characters: 270 };

/** "2 projects: Iris, Tides". Of many projects only the first are named: the audit log keeps short texts. */
function projectWords(names: readonly string[]): string {
  if (names.length === 0) return "no project";
  let characters = 0;
  const shown = names.slice(0, named.most).filter((name) => (characters += name.length + 2) <= named.characters);
  const more = names.length - shown.length;
  const list = more === 0 ? shown.join(", ") : `${shown.join(", ")} and ${more} more`;
  return `${names.length === 1 ? "1 project" : `${names.length} projects`}: ${list}`;
}
