import { newId } from "../../../platform/crypto.ts";
import type { Db } from "../../../platform/database/database.ts";
import { messageOf } from "../../../platform/errors/error-details.ts";
import { createPolledWork } from "../../../platform/polled-work.ts";
import { auditTargetOf } from "../../../platform/settings/audit-stream-settings.ts";
import { withTimeout } from "../../../platform/with-timeout.ts";
import type { AuditRow } from "../audit-queries.ts";
import { toRecord } from "../audit-service.ts";
import { createAuditStreamQueries } from "./audit-stream-queries.ts";
import { createTarget } from "./stream-targets.ts";

/** A server that holds the stream and dies is replaced after so many seconds. Times are in milliseconds. */
const limits = { every: 1_000, timeout: 10_000, holdSeconds: 30, batch: 500 } as const;

interface Dependencies {
  db: Db;
  /** The setting. Without it nothing is streamed. */
  target: string | undefined;
  /** The currency sign. */
  currency: string;
  report: (error: unknown) => void;
  /** Told once when the target stops to take records, and once when it takes them again. */
  tell: (line: string) => void;
}

/**
 * Writes each record of the audit log to a file or a syslog, after it was committed, and by one server only. Nothing waits
 * for the target: what it does not take stays in the database and is written later.
 */
export function createAuditStream({ db, target, currency, report, tell }: Dependencies) {
  const queries = createAuditStreamQueries(db);
  const parsed = target === undefined ? undefined : auditTargetOf(target);
  const write = parsed && createTarget(parsed);
  const holder = newId();
  let isOpen = false;
  let problem: string | undefined;
  /** A write that was given up may still be in the hands of the system. */
  let hanging: Promise<void> | undefined;

  async function send(rows: AuditRow[]): Promise<void> {
    if (!write) return;
    if (hanging) throw new Error("it does not answer");
    const lines = rows.map((row) => {
      const record = toRecord(row, currency, true);
      return { time: record.time, json: JSON.stringify(record) };
    });
    const signal = AbortSignal.timeout(limits.timeout);
    const writing = write(lines, signal);
    hanging = writing;
    const forget = () => (hanging = undefined);
    writing.then(forget, forget);
    await withTimeout(writing, limits.timeout);
  }

  async function work(): Promise<boolean> {
    if (!isOpen) {
      await (target === undefined ? queries.end() : queries.open(target));
      isOpen = true;
    }
    if (target === undefined || !(await queries.hold(holder, limits.holdSeconds))) return false;
    const rows = await queries.oldest(limits.batch);
    if (rows.length === 0) return false;
    try {
      await send(rows);
    } catch (error) {
      const count = await queries.count();
      const reason = messageOf(error);
      if (problem === undefined) tell(`The audit stream to ${target} fails, and ${count} records wait: ${reason}`);
      problem = `${count} records of the audit log could not be written to ${target} yet: ${reason}. They wait in the database and are written when it works again.`;
      return false;
    }
    await queries.markSent(rows.map(({ id }) => id));
    if (problem !== undefined) tell(`The audit stream to ${target} works again.`);
    problem = undefined;
    return rows.length === limits.batch;
  }

  const loop = createPolledWork({ every: limits.every, report, work });
  return {
    start: loop.start,

    /** What administrators read above every page. */
    warnings: () => (problem === undefined ? [] : [{ code: "audit_stream" as const, message: problem }]),

    async close(): Promise<void> {
      await loop.close();
      if (isOpen && target !== undefined) await queries.release(holder).catch(report);
    },
  };
}
