import { AuditFilter, AuditPage, AuditQuery } from "@miranda/contract/schemas/audit.ts";
import { Id } from "@miranda/contract/schemas/forms.ts";
import { Readable } from "node:stream";
import { z } from "zod";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Audit } from "./audit-service.ts";

const tags = ["audit"];
const exports = [
  { format: "csv", type: "text/csv; charset=utf-8" },
  { format: "jsonl", type: "application/x-ndjson; charset=utf-8" },
] as const;

/** The same routes for the installation and for a project. */
export function auditRoutes(app: Http, audit: Audit): void {
  for (const path of ["/api/v3/admin/audit", "/api/v3/projects/:projectId/audit"]) {
    const params = z.object({ projectId: Id.optional() });

    app.get(path, { schema: { tags, params, querystring: AuditQuery, response: { 200: AuditPage } } }, (request) =>
      audit.list(callerOf(request), request.params.projectId, request.query),
    );

    for (const { format, type } of exports)
      app.get(
        `${path}.${format}`,
        { schema: { tags, params, querystring: AuditFilter, response: { 200: z.string() } } },
        async (request, reply) => {
          const parts = await audit.export(callerOf(request), request.params.projectId, request.query, format);
          return reply
            .header("content-disposition", `attachment; filename="audit-log.${format}"`)
            .type(type)
            .send(Readable.from(parts, { objectMode: false }) as never);
        },
      );
  }
}
