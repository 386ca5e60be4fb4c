import type { Db } from "../../platform/database/database.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Code } from "../code/code-service.ts";
import type { Artifacts } from "../artifacts/artifacts-service.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import type { Nodes } from "../nodes/nodes-service.ts";
import type { NotificationsFeature } from "../notifications/notifications-service.ts";
import type { Projects } from "../projects/projects-service.ts";
import type { Runs } from "../runs/runs-service.ts";
import type { Versions } from "../versions/versions-service.ts";
import type { WebhookDeliveries } from "../webhooks/webhook-deliveries-service.ts";
import { createAliases } from "./aliases/aliases-service.ts";
import { createFilesPlaces } from "./files/files-places-service.ts";
import { folderFileRoutes } from "./files/folder-files-routes.ts";
import { createFolderFiles } from "./files/folder-files-service.ts";
import { compareRoutes } from "./compare/compare-routes.ts";
import { createModelComparing } from "./compare/compare-service.ts";
import { createRunPlots } from "./compare/plots-service.ts";
import { lineageRoutes } from "./lineage/lineage-routes.ts";
import { createLineage } from "./lineage/lineage-service.ts";
import { createReproductions } from "./lineage/reproductions-service.ts";
import { createModelAccess } from "./model-access.ts";
import { modelRoutes } from "./models-routes.ts";
import { createModels } from "./models-service.ts";
import { createModelNews } from "./news/model-news-service.ts";
import { createEmptyTrash } from "./trash/empty-trash-service.ts";
import { createModelsTrash } from "./trash/trash-service.ts";
import { modelUseRoutes } from "./use/use-routes.ts";
import { createModelUse } from "./use/use-service.ts";
import { createVersionMetrics } from "./versions/version-metrics-service.ts";
import { modelVersionRoutes } from "./versions/versions-routes.ts";
import { createModelVersions } from "./versions/versions-service.ts";

interface Dependencies {
  http: Http;
  db: Db;
  projects: Projects;
  artifacts: Artifacts;
  graphs: Graphs;
  nodes: Nodes;
  code: Pick<Code, "commit">;
  runs: Runs;
  versions: Versions;
  notifications: Pick<NotificationsFeature, "add">;
  webhooks: Pick<WebhookDeliveries, "add" | "wake">;
  publicUrl: string | undefined;
  /** The currency sign. */
  currency: string;
  /** Deleted models can be restored for so many days. */
  trashDays: number;
  report: (error: unknown) => void;
}

/** Models for people: the list, the page of one, and what is told about them. */
export function installModels(deps: Dependencies) {
  const { http, db, projects, artifacts, trashDays: days } = deps;
  const access = createModelAccess({ db, projects });
  const news = createModelNews(deps);
  const models = createModelVersions({ db, access, artifacts });
  const trash = createModelsTrash({ db, access, projects, days, wake: news.wake });
  modelRoutes(http, createModels({ db, projects }));
  const places = createFilesPlaces({ ...deps, access });
  folderFileRoutes(http, {
    ofVersion: createFolderFiles({ find: places.ofVersion, artifacts }),
    ofRun: createFolderFiles({ find: places.ofRun, artifacts }),
    ofTrackedRun: createFolderFiles({ find: places.ofTrackedRun, artifacts }),
  });
  modelVersionRoutes(http, {
    ...{ versions: models, trash },
    emptyTrash: createEmptyTrash({ db, projects, trash, artifacts }),
    metrics: createVersionMetrics({ db, access }),
    aliases: createAliases({ db, access, wake: news.wake }),
  });
  lineageRoutes(http, createLineage({ ...deps, models }), createReproductions({ db, models }));
  compareRoutes(http, createModelComparing({ ...deps, models }), createRunPlots({ ...deps, access, models }));
  modelUseRoutes(http, createModelUse({ ...deps, access, models }));
  return { start: news.start, close: news.close, sweep: trash.sweep, trash };
}
