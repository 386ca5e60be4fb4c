import { recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import type { Db } from "../../../platform/database/database.ts";

const remembered = 20_000;

interface SecretRead {
  kind: "secret.read" | "secret.git";
  jobId: string;
  projectId: string | null;
  accountId: string | null;
  key: string;
}

/**
 * Records which secrets the code of a session got: each secret once for each person and session. Code that reads one in a
 * loop must not fill the log. Another server, or this one after a restart, may record it once more.
 */
export function createSecretReads(db: Db) {
  const known = new Set<string>();

  return async ({ kind, jobId, projectId, accountId, key }: SecretRead): Promise<void> => {
    const name = JSON.stringify([kind, jobId, accountId, key]);
    if (known.has(name)) return;
    const subject = { kind: "secret", name: key };
    await recordAuditEvent(db, { kind, actor: accountId, projectId, subject, details: { session: jobId } });
    if (known.size >= remembered) known.clear();
    known.add(name);
  };
}
