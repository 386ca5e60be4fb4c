import { resolve } from "node:path";

import type { Keys } from "../../platform/cipher.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { RequestMetrics } from "../../platform/metrics/request-metrics.ts";
import type { Config } from "../../platform/settings/config.ts";
import { createBackups } from "./backups/backups-service.ts";
import { createHealth, type Parts } from "./health/health-service.ts";
import { metricsRoutes } from "./metrics/metrics-routes.ts";
import { createMetrics } from "./metrics/metrics-service.ts";
import { operationsRoutes } from "./operations-routes.ts";

interface Dependencies {
  http: Http;
  database: Database;
  config: Config;
  keys: () => Keys;
  engine: { name: string; warnings: { message: string }[]; list(): Promise<unknown> };
  redis: { client: { ping(): Promise<unknown> } } | undefined;
  /** Installed before every route, so that it counts them all. */
  requests: RequestMetrics | undefined;
  sockets: () => number;
  report: (error: unknown) => void;
}

const migrations = resolve(import.meta.dirname, "..", "..", "migrations");

/** What the operator of an installation needs: backups, health, metrics. */
export function installOperations(dependencies: Dependencies) {
  const { http, database, config, keys, engine, redis, requests, sockets, report } = dependencies;
  const { dataFolder } = config;
  const parts: Parts = {
    engine: { name: engine.name, warnings: engine.warnings, ask: () => engine.list() },
    redis: redis && (() => redis.client.ping()),
  };
  const { diskReserveBytes } = config.processors;
  const backups = createBackups({ database, dataFolder, keys, settings: config.backups, diskReserveBytes, report });
  operationsRoutes(http, createHealth({ database, config, migrations, backups, parts }), backups);
  const metrics = requests && createMetrics({ database, dataFolder, requests, parts, sockets });
  metricsRoutes(http, metrics, config.metricsToken);
  return {
    start: backups.start,
    async close(): Promise<void> {
      metrics?.close();
      await backups.close();
    },
  };
}
