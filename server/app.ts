import { session } from "@miranda/contract/limits.ts";

import { authRoutes } from "./features/auth/auth-routes.ts";
import { createAuth } from "./features/auth/auth-service.ts";
import { graphRoutes } from "./features/graphs/graphs-routes.ts";
import { createGraphs } from "./features/graphs/graphs-service.ts";
import { projectRoutes } from "./features/projects/projects-routes.ts";
import { createProjects } from "./features/projects/projects-service.ts";
import { installApiDocs } from "./platform/api-docs.ts";
import { createAttempts } from "./platform/attempts.ts";
import { installCallers } from "./platform/caller.ts";
import type { Config } from "./platform/config.ts";
import type { Database } from "./platform/database.ts";
import { installHealth } from "./platform/health.ts";
import { createHttp, type Http } from "./platform/http-server.ts";
import { installWebClient } from "./platform/web-client.ts";

const sweepEvery = 3_600_000;

/** Wires every feature by hand. */
export async function createApp(config: Config, { db, pool }: Database, webFolder: string): Promise<Http> {
  const http = await createHttp(config);

  const attempts = createAttempts(db);
  const auth = createAuth({ db, attempts, registrationsPerHour: config.registrationsPerHour });
  const projects = createProjects({ db, auth });
  const graphs = createGraphs({ db, projects });

  installCallers(http, session.cookie, auth.authenticate);
  await installApiDocs(http, "0.1.0");
  installHealth(http, pool);
  authRoutes(http, auth, config.publicUrl);
  projectRoutes(http, projects);
  graphRoutes(http, graphs);
  await installWebClient(http, webFolder);

  const sweeper = setInterval(() => {
    auth.sweep().catch((error: unknown) => http.log.error({ err: error }, "sweep failed"));
  }, sweepEvery);
  http.addHook("onClose", async () => clearInterval(sweeper));
  return http;
}
