import { AppError } from "../../platform/errors/app-error.ts";
import type { Db } from "../../platform/database/database.ts";
import { findLimit } from "../../platform/limits/account-limits-queries.ts";
import { lockQuota } from "../../platform/limits/quota-lock.ts";
import { deletedProjectQueries } from "./deleted-projects-queries.ts";
import { createProjectQueries } from "./projects-queries.ts";
import { leaveTeams } from "./teams/teams-queries.ts";

/** New owners by project. */
export type Transfers = Readonly<Record<string, string>>;

/** What happens to the projects of an account that is deleted. Both run inside its transaction. */
export function createHandOver({ projectsPerAccount }: { projectsPerAccount: number }) {
  return {
    /** Before anything else is locked, in one order: two deletions that name the same people must not deadlock. */
    async lockNewOwners(trx: Db, transfers: Transfers): Promise<void> {
      const owners = [...new Set(Object.values(transfers))].toSorted();
      for (const owner of owners) await lockQuota(trx, { what: "projects", owner });
    },

    /** Gives each named project to one of its editors. The others are deleted. */
    async leaveAll(trx: Db, accountId: string, transfers: Transfers): Promise<void> {
      const inside = createProjectQueries(trx);
      for (const [id, to] of Object.entries(transfers)) {
        if (!(await inside.lockOwned(id, accountId))) throw new AppError("project_not_found");
        if (!(await inside.lockOwner(to)) || !(await inside.isEditor(id, to)))
          throw new AppError("transfer_needs_editor");
        const most = await findLimit(trx, "projects", to, projectsPerAccount);
        if ((await inside.countOwned(to)) >= most) throw new AppError("too_many_projects_there");
        await inside.transfer(id, accountId, to);
      }
      await deletedProjectQueries(trx).disownAllOf(accountId);
      // After the transfers, which make the old owner an editor.
      await inside.removeMemberships(accountId);
      await leaveTeams(trx, accountId);
    },
  };
}
