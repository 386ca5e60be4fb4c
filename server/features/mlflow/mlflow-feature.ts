import type { Db } from "../../platform/database/database.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Projects } from "../projects/projects-service.ts";
import type { MetricPoints } from "../tracking/metrics-service.ts";
import { experimentRoutes } from "./experiments/experiments-routes.ts";
import { createExperiments } from "./experiments/experiments-service.ts";
import { createCallScope } from "./http/call-scope.ts";
import { createJobScope } from "./http/job-scope.ts";
import { createMlflowScope, type MlflowScope } from "./http/mlflow-scope.ts";
import { createBulkHistory } from "./runs/bulk-history.ts";
import { createLogging } from "./runs/logging-service.ts";
import { loggingRoutes } from "./runs/logging-routes.ts";
import { createMetricHistory } from "./runs/metric-history.ts";
import { createRunSearch } from "./runs/run-search-service.ts";
import { trackedRunRoutes } from "./runs/runs-routes.ts";
import { createTrackedRuns } from "./runs/runs-service.ts";
import { serverRoutes } from "./server-routes.ts";

interface Dependencies {
  http: Http;
  db: Db;
  projects: Pick<Projects, "getProject">;
  /** Called after a client stored points of a run. */
  onMetrics?: (runId: string, points: readonly MetricPoints[]) => void;
  /** Routes of other features, for the same clients. */
  more?: (scope: MlflowScope) => void;
}

/** MLflow's API: every project is a tracking server. */
export function installMlflow({ http, db, projects, onMetrics, more }: Dependencies): void {
  const experiments = createExperiments(db);
  const runs = createTrackedRuns(db, experiments);
  void http.register(async (app: Http) => {
    const scope = createMlflowScope(app, {
      ...{ projects, jobs: createJobScope({ db }), calls: createCallScope({ db }) },
    });
    experimentRoutes(scope, experiments);
    const [history, bulkHistory] = [createMetricHistory(db, runs), createBulkHistory(db, runs)];
    trackedRunRoutes(scope, { runs, search: createRunSearch(db), history, bulkHistory });
    loggingRoutes(scope, createLogging({ runs, ...(onMetrics && { onMetrics }) }));
    more?.(scope);
    serverRoutes(scope);
  });
}
