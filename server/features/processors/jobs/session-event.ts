import type { AuditEvent } from "../../../platform/audit/audit-event.ts";
import { actorOf } from "../../../platform/audit/audit-log.ts";
import type { Caller } from "../../../platform/http/caller.ts";

/** That somebody started or stopped a session. */
export function sessionEvent(
  kind: "session.start" | "session.stop",
  caller: Caller,
  session: { id: string; name: string; project_id: string | null },
): AuditEvent {
  const { id, name, project_id: projectId } = session;
  return { kind, ...actorOf(caller), projectId, subject: { kind: "session", id, name } };
}
