import type { AuditDetails, AuditKind } from "@miranda/contract/schemas/audit.ts";

import { actorOf } from "../../platform/audit/audit-log.ts";
import type { AuditEvent } from "../../platform/audit/audit-event.ts";
import type { Caller } from "../../platform/http/caller.ts";

/** What the audit log says about a model. */
export interface NamedModel {
  id: string;
  name: string;
  project_id: string;
}

/** What somebody did to a model, as the audit log records it. */
export function modelEvent(
  caller: Caller,
  { id, name, project_id: projectId }: NamedModel,
  kind: AuditKind & `model.${string}`,
  details: AuditDetails = {},
): AuditEvent {
  return { kind, ...actorOf(caller), projectId, subject: { kind: "model", id, name }, details };
}
