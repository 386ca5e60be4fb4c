import {
  AuditDetails,
  type AuditFilter,
  type AuditPage,
  type AuditQuery,
  type AuditRecord,
} from "@miranda/contract/schemas/audit.ts";
import { auditSentence } from "@miranda/contract/words/audit-sentence.ts";
import { browserWords } from "@miranda/contract/words/browser-words.ts";

import { actorOf, recordAuditEvent } from "../../platform/audit/audit-log.ts";
import type { Db } from "../../platform/database/database.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Projects } from "../projects/projects-service.ts";
import { csvParts, jsonLines, type ReadAuditEvents } from "./audit-exports.ts";
import { type AuditRow, createAuditQueries } from "./audit-queries.ts";

interface Dependencies {
  db: Db;
  projects: Pick<Projects, "getProject">;
  /** The currency sign. */
  currency: string;
}

export type Audit = ReturnType<typeof createAudit>;
type ExportFormat = "csv" | "jsonl";

/** The audit log for those who may read it: all of it for administrators, that of a project for its owner. */
export function createAudit({ db, projects, currency }: Dependencies) {
  const queries = createAuditQueries(db);

  async function demand(caller: Caller, projectId: string | undefined): Promise<void> {
    if (projectId !== undefined) await projects.getProject(caller, projectId, "own");
    else if (!caller.isAdmin) throw new AppError("not_admin");
  }

  /** Owners of a project neither read nor search where other people were: that is for administrators. */
  function rowsFor(caller: Caller, projectId: string | undefined, filter: AuditFilter) {
    const wanted = projectId === undefined ? filter : { ...filter, project_id: projectId };
    return {
      find: (after: number | undefined, limit: number) =>
        queries.list(wanted, { after, limit }, caller.isAdmin ? "all" : "withoutAddress"),
      toRecord: (row: AuditRow) => toRecord(row, currency, caller.isAdmin || row.actor_id === caller.accountId),
    };
  }

  return {
    async list(
      caller: Caller,
      projectId: string | undefined,
      { limit, after, ...filter }: AuditQuery,
    ): Promise<AuditPage> {
      await demand(caller, projectId);
      const events = rowsFor(caller, projectId, filter);
      const rows = await events.find(after, limit + 1);
      const shown = rows.slice(0, limit);
      return {
        events: shown.map(events.toRecord),
        next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
      };
    },

    /** The parts of a file. That somebody took the log with them is recorded too. */
    async export(caller: Caller, projectId: string | undefined, filter: AuditFilter, format: ExportFormat) {
      await demand(caller, projectId);
      await recordAuditEvent(db, { kind: "audit.export", ...actorOf(caller), projectId, details: { format } });
      const events = rowsFor(caller, projectId, filter);
      const read: ReadAuditEvents = async (after, limit) => (await events.find(after, limit)).map(events.toRecord);
      return format === "csv" ? csvParts(read) : jsonLines(read);
    },
  };
}

export function toRecord(row: AuditRow, currency: string, showsPlace: boolean): AuditRecord {
  const { id, kind, result } = row;
  const parts = {
    ...{ kind, result },
    actor: row.actor_id === null ? null : { id: row.actor_id, name: row.actor_name },
    project: row.project_id === null ? null : { id: row.project_id, name: row.project_name },
    subject: row.subject_kind === "" ? null : { kind: row.subject_kind, id: row.subject_id, name: row.subject_name },
    details: AuditDetails.catch({}).parse(row.details),
  };
  return {
    ...{ id, time: row.at.toISOString(), ...parts },
    address: showsPlace ? row.address : "",
    browser: showsPlace && row.user_agent !== "" ? browserWords(row.user_agent) : "",
    // What Miranda or its operator did has a name without an account.
    sentence: auditSentence({ ...parts, actor: row.actor_name === "" ? null : { name: row.actor_name } }, currency),
  };
}
