import type { Db } from "../../platform/database/database.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Config } from "../../platform/settings/config.ts";
import type { Projects } from "../projects/projects-service.ts";
import { auditRoutes } from "./audit-routes.ts";
import { createAudit } from "./audit-service.ts";
import { createAuditStream } from "./stream/audit-stream.ts";

interface Dependencies {
  http: Http;
  db: Db;
  projects: Pick<Projects, "getProject">;
  config: Pick<Config, "auditStream" | "currency">;
  report: (error: unknown) => void;
}

/** The audit log for its readers, and its stream to a file or a syslog, which the server starts and closes. */
export function installAudit({ http, db, projects, config: { auditStream: target, currency }, report }: Dependencies) {
  auditRoutes(http, createAudit({ db, projects, currency }));
  return createAuditStream({ db, target, currency, report, tell: (line) => http.log.warn(line) });
}
