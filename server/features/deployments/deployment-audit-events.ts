import type { AuditDetails } from "@miranda/contract/schemas/audit.ts";
import type { DeploymentPatch } from "@miranda/contract/schemas/deployments/deployments.ts";

import type { AuditEvent } from "../../platform/audit/audit-event.ts";
import { actorOf } from "../../platform/audit/audit-log.ts";
import type { Caller } from "../../platform/http/caller.ts";

/** A record of the audit log about a deployment. */
export function deploymentAuditEvent(
  kind: Extract<AuditEvent["kind"], `deployment.${string}`>,
  caller: Caller,
  { id, title, projectId }: { id: string; title: string; projectId: string },
  details: AuditDetails = {},
): AuditEvent {
  return { kind, ...actorOf(caller), projectId, subject: { kind: "deployment", id, name: title }, details };
}

/** Which settings a person changed. Whom it is shared with is said in full. */
export function changesOf({ access, people, ...others }: DeploymentPatch): AuditDetails {
  const names = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : name));
  return {
    changes: [...(access ? ["access"] : []), ...(people ? ["people"] : []), ...names].join(", "),
    ...(access && { access }),
    ...(people && { people: people.join(", ") }),
  };
}
