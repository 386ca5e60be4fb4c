import type { ProgressBar } from "@miranda/contract/protocol/worker.ts";
import type { LogEntry, LogsQuery } from "@miranda/contract/schemas/processors.ts";

import type { Cipher } from "../../platform/cipher.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Http } from "../../platform/http/http-server.ts";
import { createCallBodies } from "../call-inputs/call-body.ts";
import { createCallInputs } from "../call-inputs/call-inputs-service.ts";
import type { Calls } from "../calls/calls-service.ts";
import type { Deployments } from "../deployments/deployments-service.ts";
import type { NodeFiles } from "../nodes/files-service.ts";
import type { NotificationsFeature } from "../notifications/notifications-service.ts";
import { callApiRoutes } from "./call-api-routes.ts";
import { type CallApi, createCallApi } from "./call-api-service.ts";
import type { Projects } from "../projects/projects-service.ts";
import { shareRoutes } from "./shares-routes.ts";
import { createCallStreams } from "./call-streams.ts";
import { hookRoutes } from "./hooks-routes.ts";
import { createHooks } from "./hooks-service.ts";
import { openApiRoutes } from "./openapi/openapi-routes.ts";

interface Dependencies {
  http: Http;
  db: Db;
  cipher: Cipher;
  deployments: Pick<Deployments, "forUse" | "forView" | "forManage">;
  calls: Pick<Calls, "admit" | "make" | "cancel" | "ended" | "changed">;
  files: Pick<NodeFiles, "storeUpload">;
  notifications: Pick<NotificationsFeature, "add">;
  barsOf: (jobId: string) => ReadonlyMap<number, ProgressBar>;
  readLog: (jobId: string, query: LogsQuery) => Promise<AsyncIterable<LogEntry[]>>;
  projects: Pick<Projects, "getProject">;
  publicUrl: string | undefined;
}

/** Everything that callers of deployments reach by HTTP. */
export function installCallApi(deps: Dependencies): CallApi {
  const { http, db, cipher, deployments, calls, files, notifications, publicUrl } = deps;
  const inputs = createCallInputs({ db, files });
  const api = createCallApi({ db, deployments, calls, inputs, notifications, barsOf: deps.barsOf });
  const streams = createCallStreams({ api, calls, readLog: deps.readLog });
  callApiRoutes(http, { api, streams, bodies: createCallBodies(), publicUrl });
  shareRoutes(http, { db, projects: deps.projects });
  hookRoutes(http, createHooks({ db, cipher, api }));
  openApiRoutes(http, { deployments, publicUrl });
  return api;
}
