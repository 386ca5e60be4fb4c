import type { AuditDetails, AuditKind } from "@miranda/contract/schemas/audit.ts";

import type { Visitor } from "../http/visitor.ts";

export interface AuditEvent {
  kind: AuditKind;
  /** The account that did it. Null: somebody who is not signed in, or Miranda itself. */
  actor: string | null;
  /** The name of the actor, where the account has lost it already. */
  actorName?: string | undefined;
  visitor?: Visitor | undefined;
  /** The name of the access token that was used. */
  token?: string | undefined;
  projectId?: string | null | undefined;
  subject?: { kind: string; id?: string; name?: string } | undefined;
  result?: "done" | "refused";
  /** Never a secret: people read this. */
  details?: AuditDetails;
}
