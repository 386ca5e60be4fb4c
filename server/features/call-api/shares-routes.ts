import { Id } from "@miranda/contract/schemas/forms.ts";
import { SharedResultList } from "@miranda/contract/schemas/deployments/shares.ts";
import { z } from "zod";

import { shareQueries } from "../../model/shared-results-queries.ts";
import { actorOf, withAuditEvent } from "../../platform/audit/audit-log.ts";
import type { Db } from "../../platform/database/database.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import { type Caller, callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Projects } from "../projects/projects-service.ts";

const tags = ["calls"];
const params = z.object({ id: Id });
const listed = 200;

interface Dependencies {
  db: Db;
  projects: Pick<Projects, "getProject">;
}

/** The results of a project's apps that callers shared: those who may change the project see and end them. */
export function shareRoutes(app: Http, { db, projects }: Dependencies): void {
  async function end(caller: Caller, projectId: string, callId?: string): Promise<void> {
    await projects.getProject(caller, projectId, "write");
    const details = { shares: callId === undefined ? "every shared result" : "a shared result" };
    await withAuditEvent(db, { kind: "project.shares_end", ...actorOf(caller), projectId, details }, async (trx) => {
      const count = await shareQueries.end(trx, projectId, callId);
      if (callId !== undefined && count === 0) throw new AppError("share_not_found");
    });
  }

  app.get(
    "/api/v3/projects/:id/shares",
    { schema: { tags, params, response: { 200: SharedResultList } } },
    async (request) => {
      const { id } = request.params;
      await projects.getProject(callerOf(request), id, "write");
      const [rows, total] = await Promise.all([shareQueries.list(db, id, listed), shareQueries.count(db, id)]);
      const shares = rows.map(({ app_name: name, app_title: title, username, time_called, ...row }) => ({
        ...{ id: row.id, app: { name, title }, by: username, time_called: time_called.toISOString() },
      }));
      return { shares, total };
    },
  );

  app.delete("/api/v3/projects/:id/shares", { schema: { tags, params } }, async (request, reply) => {
    await end(callerOf(request), request.params.id);
    return reply.code(204).send();
  });

  app.delete(
    "/api/v3/projects/:id/shares/:call",
    { schema: { tags, params: params.extend({ call: Id }) } },
    async (request, reply) => {
      await end(callerOf(request), request.params.id, request.params.call);
      return reply.code(204).send();
    },
  );
}
