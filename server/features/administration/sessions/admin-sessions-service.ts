import { adminLists as limits } from "@miranda/contract/admin-limits.ts";
import { isAlive } from "@miranda/contract/processor.ts";
import type {
  AdminSession,
  AdminSessionPage,
  AdminSessionsQuery,
  WaitingSession,
  WaitingSessions,
} from "@miranda/contract/schemas/admin/sessions.ts";

import { actorOf, recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { NotificationsFeature } from "../../notifications/notifications-service.ts";
import type { Sessions } from "../../processors/jobs/job-lifecycle.ts";
import { areAllClosed, listQueuePositions } from "../../processors/jobs/queue-position-queries.ts";
import { queuePositionOf } from "../../processors/jobs/queue-words.ts";
import { type AliveRow, createAdminSessionQueries } from "./admin-sessions-queries.ts";

interface Dependencies {
  db: Db;
  sessions: Pick<Sessions, "stop" | "finishQueued">;
  notifications: Pick<NotificationsFeature, "add">;
  settings: { most: number; mostPerAccount: number };
}

export type AdminSessions = ReturnType<typeof createAdminSessions>;

/** What runs and waits in the whole installation. Administrators see names and figures, and can stop it. */
export function createAdminSessions({ db, sessions, notifications, settings }: Dependencies) {
  const queries = createAdminSessionQueries(db);

  async function getAlive(id: string): Promise<AliveRow> {
    const session = await queries.find(id);
    if (!session) throw new AppError("job_not_found");
    if (!isAlive(session.state)) throw new AppError("job_ended");
    return session;
  }

  /** Records who ended it and notifies its starter, in the transaction that ends it. */
  function ending(caller: Caller, session: AliveRow, kind: "session.stop" | "admin.queue_remove", reason: string) {
    const title =
      kind === "session.stop"
        ? `An administrator stopped the session of ${session.workflow}`
        : `An administrator removed ${session.workflow} from the queue`;
    return async (trx: Db) => {
      await recordAuditEvent(trx, {
        ...{ kind, ...actorOf(caller), projectId: session.project_id },
        subject: { kind: "session", id: session.id, name: session.workflow },
        details: { reason, person: session.person },
      });
      if (session.account_id === caller.accountId) return undefined;
      return notifications.add(trx, {
        ...{ accountId: session.account_id, kind: "session_stopped", title, body: reason },
        ...(session.project_id !== null && { projectId: session.project_id }),
      });
    };
  }

  return {
    async list({ query, limit, after }: AdminSessionsQuery): Promise<AdminSessionPage> {
      const [rows, counts] = await Promise.all([queries.list(query, { after, limit }), queries.count(settings.most)]);
      const shown = rows.slice(0, limit);
      const next = rows.length > limit ? (shown.at(-1)?.id ?? null) : null;
      return { sessions: shown.map(toSession), next, ...counts };
    },

    async queue(): Promise<WaitingSessions> {
      const [rows, positions, isClosed, { queued }] = await Promise.all([
        queries.listWaiting(limits.waiting),
        listQueuePositions(db, settings, limits.waiting),
        areAllClosed(db),
        queries.count(settings.most),
      ]);
      const positionOf = new Map(positions.map((one) => [one.id, one]));
      const waiting = rows.map((row): WaitingSession => {
        const { id, workflow, project, person, serves_calls, time_created } = toSession(row);
        const position = queuePositionOf(row, positionOf.get(row.id), isClosed);
        return { id, workflow, project, person, serves_calls, time_created, ...position };
      });
      const last = Number.POSITIVE_INFINITY;
      return { waiting: waiting.toSorted((a, b) => (a.position ?? last) - (b.position ?? last)), all: queued };
    },

    async stop(caller: Caller, id: string, reason: string): Promise<void> {
      const session = await getAlive(id);
      const alongside = ending(caller, session, "session.stop", reason);
      const words = `An administrator stopped the session: ${reason}`;
      if (await sessions.stop(id, { reason: words, by: caller.accountId, alongside })) return;
      await getAlive(id);
      throw new AppError("session_stopping");
    },

    async removeFromQueue(caller: Caller, id: string, reason: string): Promise<void> {
      const session = await getAlive(id);
      const alongside = ending(caller, session, "admin.queue_remove", reason);
      const words = `An administrator removed the session from the queue: ${reason}`;
      if (session.state !== "QUEUED" || !(await sessions.finishQueued(id, { reason: words, alongside })))
        throw new AppError("session_started");
    },
  };
}

function toSession(row: AliveRow): AdminSession {
  const { id, workflow, engine, machine, state, cost } = row;
  const { current_cpu, cpu_capacity, current_ram_gb, ram_gb_capacity } = row;
  return {
    ...{ id, workflow, engine, machine, state, cost },
    ...{ current_cpu, cpu_capacity, current_ram_gb, ram_gb_capacity },
    project:
      row.project_id === null
        ? null
        : { id: row.project_id, name: row.project_name ?? "", is_private: row.is_private ?? false },
    person: row.person ?? "Deleted account",
    payer: row.purse_id === null ? "person" : "purse",
    serves_calls: row.deployment_id !== null,
    state_since: row.state_at.toISOString(),
    time_created: row.created_at.toISOString(),
  };
}
