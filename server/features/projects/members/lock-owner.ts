import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { createProjectQueries } from "../projects-queries.ts";

/**
 * Inside a transaction: the owner of a project, who stays its owner until the end. Refuses a caller whose project was
 * given away since their rights were checked.
 */
export async function lockOwner(
  trx: Db,
  caller: Caller,
  projectId: string,
  ownerBefore: string | null,
): Promise<string> {
  const owner = await createProjectQueries(trx).lockForMember(projectId);
  if (owner === undefined) throw new AppError("project_not_found");
  if (owner !== ownerBefore && !caller.isAdmin) throw new AppError("project_read_only");
  return owner;
}
