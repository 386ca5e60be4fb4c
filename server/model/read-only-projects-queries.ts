import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import { type Expression, sql } from "kysely";

import type { Db } from "../platform/database/database.ts";

/** Those of these projects that somebody may not change. `access` is theirs, in the words of `projects`. */
export async function findReadOnly(
  db: Db,
  projectIds: readonly string[],
  access: Expression<ProjectAccess | null>,
): Promise<Set<string>> {
  if (projectIds.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`select id from projects
    where id = any(${projectIds}::uuid[]) and coalesce(${access}, 'viewer') = 'viewer'`.execute(db);
  return new Set(rows.map(({ id }) => id));
}
