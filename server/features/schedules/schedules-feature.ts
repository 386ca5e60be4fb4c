import type { Db } from "../../platform/database/database.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Auth } from "../auth/auth-service.ts";
import type { CallApi } from "../call-api/call-api-service.ts";
import type { Calls } from "../calls/calls-service.ts";
import type { Deployments } from "../deployments/deployments-service.ts";
import type { NodeFiles } from "../nodes/files-service.ts";
import type { NotificationsFeature } from "../notifications/notifications-service.ts";
import type { Projects } from "../projects/projects-service.ts";
import type { Realtime } from "../realtime/realtime-service.ts";
import { createScheduleFailures } from "./schedule-failures.ts";
import { createScheduleTicks } from "./schedule-ticks-service.ts";
import { createScheduledCalls } from "./scheduled-calls.ts";
import { scheduleRoutes } from "./schedules-routes.ts";
import { createSchedules } from "./schedules-service.ts";

interface Dependencies {
  http: Http;
  db: Db;
  auth: Pick<Auth, "callerFor">;
  projects: Pick<Projects, "accessExpression">;
  deployments: Pick<Deployments, "forManage" | "forView">;
  calls: Pick<Calls, "make" | "cancel">;
  callApi: Pick<CallApi, "summary">;
  files: Pick<NodeFiles, "storeUpload">;
  notifications: Pick<NotificationsFeature, "add">;
  realtime: Pick<Realtime, "publish">;
  report: (error: unknown) => void;
}

/** Schedules: their routes, and the work that calls them. Call `wake` when a run has ended. */
export function installSchedules(deps: Dependencies) {
  const { http, db, auth, projects, deployments, calls, callApi, files, notifications, realtime, report } = deps;
  const announce = (id: string): void => realtime.publish(id, "update[DEPLOYMENT]", { deployment_id: id });
  const scheduled = createScheduledCalls({ db, deployments, calls });
  const schedules = createSchedules({
    ...{ db, deployments, scheduled, files, announce },
    summaryOf: ({ accountId, isAdmin, onlyProject }, { deployment_id, id }) =>
      callApi.summary({ accountId, isAdmin, onlyProject }, deployment_id, id),
  });
  scheduleRoutes(http, schedules);
  const failures = createScheduleFailures({ notifications, projects });
  const { start, wake, close } = createScheduleTicks({ db, auth, calls, scheduled, failures, announce, report });
  return { start, wake, close, sweep: schedules.sweep };
}
