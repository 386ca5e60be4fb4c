import type { AuditFilter } from "@miranda/contract/schemas/audit.ts";
import { sql, type SqlBool } from "kysely";

import type { Db } from "../../platform/database/database.ts";
import { contains } from "../../platform/database/name-search-queries.ts";

interface Page {
  after?: number | undefined;
  limit: number;
}

/** What a text is looked for in. Addresses are for administrators only: a search would let others guess them. */
const searched = {
  all: sql<string>`search`,
  withoutAddress: sql<string>`lower(actor_name || ' ' || subject_name || ' ' || project_name || ' ' || kind || ' ' || details::text)`,
};
export type Searched = keyof typeof searched;

export type AuditRow = Awaited<ReturnType<ReturnType<typeof createAuditQueries>["list"]>>[number];

const nextDay = (day: string) => sql<Date>`(${day}::date + 1)::timestamp at time zone 'utc'`;
const startOf = (day: string) => sql<Date>`${day}::date::timestamp at time zone 'utc'`;

const names = [
  ...(["id", "at", "kind", "result", "actor_id", "actor_name", "address", "user_agent"] as const),
  ...(["project_id", "project_name", "subject_kind", "subject_id", "subject_name", "details"] as const),
];
export const auditColumns = names.map((name) => `audit_log.${name}` as const);

export function createAuditQueries(db: Db) {
  return {
    /** Newest first. */
    list: (
      { person, kind, project_id, result, from, to, text }: AuditFilter,
      { after, limit }: Page,
      searchIn: Searched,
    ) =>
      db
        .selectFrom("audit_log")
        .select(auditColumns)
        .$if(after !== undefined, (rows) => rows.where("id", "<", after ?? 0))
        .$if(project_id !== undefined, (rows) => rows.where("project_id", "=", project_id ?? ""))
        .$if(result !== undefined, (rows) => rows.where("result", "=", result ?? "done"))
        .$if(from !== undefined, (rows) => rows.where("at", ">=", startOf(from ?? "")))
        .$if(to !== undefined, (rows) => rows.where("at", "<", nextDay(to ?? "")))
        .$if(text !== undefined, (rows) => rows.where(contains(searched[searchIn], text ?? "")))
        .$if(kind !== undefined, (rows) =>
          rows.where(sql<SqlBool>`(kind = ${kind} or starts_with(kind, ${`${kind}.`}))`),
        )
        // By the name of the time, so that those of deleted accounts are found too.
        .$if(person !== undefined, (rows) =>
          rows.where(
            sql<SqlBool>`(lower(actor_name) = lower(${person})
              or (subject_kind = 'account' and lower(subject_name) = lower(${person})))`,
          ),
        )
        .orderBy("id", "desc")
        .limit(limit)
        .execute(),
  };
}
