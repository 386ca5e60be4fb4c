import { Backup, Health } from "@miranda/contract/schemas/operations/health.ts";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Backups } from "./backups/backups-service.ts";
import type { createHealth } from "./health/health-service.ts";

const tags = ["administration"];

export function operationsRoutes(app: Http, health: ReturnType<typeof createHealth>, backups: Backups): void {
  app.get("/api/v3/admin/health", { config: { adminOnly: true }, schema: { tags, response: { 200: Health } } }, () =>
    health.read(),
  );

  // An archive holds what everybody stored. A token that leaks must not make one.
  app.post(
    "/api/v3/admin/backups",
    { config: { adminOnly: true, sessionOnly: true }, schema: { tags, response: { 200: Backup } } },
    (request) => backups.make(callerOf(request)),
  );
}
