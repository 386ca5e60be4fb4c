import { sql } from "kysely";

import type { Db } from "../database/database.ts";
import type { AuditEvent } from "./audit-event.ts";

const textMax = 300;

export async function insertAuditEvent(db: Db, event: AuditEvent): Promise<void> {
  const { kind, actor, visitor, projectId, subject, token, result = "done" } = event;
  const details = { ...event.details, ...(token !== undefined && { with_token: token }) };
  await db
    .insertInto("audit_log")
    .values({
      kind,
      result,
      actor_id: actor,
      actor_name:
        event.actorName ?? sql<string>`coalesce((select username from accounts where id = ${actor}::uuid), '')`,
      address: visitor?.address ?? "",
      user_agent: cut(visitor?.userAgent),
      project_id: projectId ?? null,
      project_name: sql<string>`coalesce((select name from projects where id = ${projectId ?? null}::uuid), '')`,
      subject_kind: subject?.kind ?? "",
      subject_id: cut(subject?.id),
      subject_name: cut(subject?.name),
      details: JSON.stringify(details, (_, value: unknown) => (typeof value === "string" ? cut(value) : value)),
    })
    .execute();
}

/** PostgreSQL stores no NUL. */
function cut(text = ""): string {
  return text.replaceAll("\u0000", "").slice(0, textMax).toWellFormed();
}
