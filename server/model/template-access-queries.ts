import { sql, type SqlBool } from "kysely";

import type { Caller } from "../platform/http/caller.ts";

/** Whether somebody may read a template: the one place that decides. */
export function mayReadTemplate({ accountId, isAdmin }: Caller) {
  return sql<SqlBool>`((templates.public and not templates.withdrawn) or templates.owner_id = ${accountId} or ${isAdmin}::boolean)`;
}
