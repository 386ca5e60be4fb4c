import { join } from "node:path";

import type { AuditEvent } from "../audit/audit-event.ts";
import { recordAuditEvent } from "../audit/audit-log.ts";
import { newId } from "../crypto.ts";
import type { Db } from "../database/database.ts";
import type { Manifest } from "./archive-format.ts";
import { makeBackup, type BackupOrder, type Progress } from "./backup.ts";
import { createBackupRecordQueries, type NewBackup } from "./backup-records-queries.ts";

interface Recorded extends Omit<BackupOrder, "onBegin" | "onEnd" | "onProgress"> {
  db: Db;
  madeBy: NewBackup["made_by"];
  accountId: string | null;
  /** Called once nothing can refuse it any more. */
  onBegin?: (id: string) => void;
  onProgress?: (progress: Progress) => void;
}

const writtenEvery = 500;

/** A backup that the database knows about, so that every server shows its progress. */
export async function makeRecordedBackup(order: Recorded): Promise<Manifest> {
  const { db, madeBy, accountId } = order;
  const records = createBackupRecordQueries(db);
  const isRecorded = await records.hasTable();
  const id = newId();
  let writtenAt = 0;
  let writing: Promise<unknown> = Promise.resolve();
  return makeBackup({
    ...order,
    async onBegin() {
      const has_key = order.passphrase !== undefined;
      if (isRecorded) await records.begin({ id, made_by: madeBy, account_id: accountId, file: order.target, has_key });
      if (isRecorded && madeBy !== "person") await recordAuditEvent(db, eventOf(id, madeBy));
      order.onBegin?.(id);
    },
    async onEnd(result) {
      await writing;
      const end = "problem" in result ? result : { bytes: result.bytes, missing: result.manifest.missing.length };
      if (isRecorded) await records.end(id, end);
    },
    onProgress(progress) {
      order.onProgress?.(progress);
      if (!isRecorded || performance.now() - writtenAt < writtenEvery) return;
      writtenAt = performance.now();
      const now = { ...progress };
      // A database that does not answer ends the backup elsewhere.
      writing = writing.then(() => records.progress(id, now)).catch(() => undefined);
    },
  });
}

/** That of a person is recorded where the person asks for it. */
function eventOf(id: string, madeBy: "schedule" | "command"): AuditEvent {
  const who = { actor: null, actorName: madeBy === "schedule" ? "Miranda" : "The operator" };
  const how = madeBy === "schedule" ? "by its schedule" : "with the command";
  return { kind: "backup.make", ...who, subject: { kind: "backup", id }, details: { how } };
}

/** The name of a new archive. With milliseconds: two may be made within a second. */
export function archiveIn(folder: string): string {
  const stamp = new Date().toISOString().replaceAll(/[-:.]/g, "").replace("T", "-").slice(0, 18);
  return join(folder, `miranda-${stamp}.zip`);
}
