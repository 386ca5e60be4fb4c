import type { Db } from "../../platform/database/database.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { ProjectFolders } from "../../platform/project-folders.ts";
import type { ProcessorSettings } from "../../platform/settings/processor-settings.ts";
import type { Artifacts } from "../artifacts/artifacts-service.ts";
import type { ModelsTrash } from "../models/trash/trash-service.ts";
import type { NotificationsFeature } from "../notifications/notifications-service.ts";
import type { Sessions } from "../processors/jobs/job-lifecycle.ts";
import type { Results } from "../results/results-service.ts";
import { adminSessionRoutes } from "./sessions/admin-sessions-routes.ts";
import { createAdminSessions } from "./sessions/admin-sessions-service.ts";
import { createFolders } from "./storage/folders-service.ts";
import { createSessionFiles } from "./storage/session-files-service.ts";
import { storageRoutes } from "./storage/storage-routes.ts";
import { createStorage } from "./storage/storage-service.ts";

interface Dependencies {
  http: Http;
  db: Db;
  settings: ProcessorSettings;
  dataFolder: string;
  sessions: Pick<Sessions, "stop" | "finishQueued">;
  notifications: NotificationsFeature;
  trash: ModelsTrash;
  artifacts: Artifacts;
  results: Results;
  folders: ProjectFolders | undefined;
  report: (error: unknown) => void;
}

/** What administrators see and decide about what runs and what is stored. Returns chores. */
export function installRuntimeAdministration(deps: Dependencies) {
  adminSessionRoutes(deps.http, createAdminSessions(deps));
  const folders = createFolders(deps);
  const sessionFiles = createSessionFiles({ ...deps, folders: deps.folders?.sessions });
  storageRoutes(deps.http, createStorage({ ...deps, folders, sessionFiles }));
  deps.http.addHook("onListen", sessionFiles.start);
  deps.http.addHook("onClose", sessionFiles.stop);
  return { "deleted folders": folders.removeDeleted, "sizes of folders": folders.measureAll };
}
