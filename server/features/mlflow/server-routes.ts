import { z } from "zod";

import { MlflowError } from "./http/mlflow-error.ts";
import { mlflowConfig, mlflowPrefix, type MlflowScope, projectOf } from "./http/mlflow-scope.ts";

/** The newest version of MLflow whose clients were tried with this server. */
const mlflowVersion = "3.17.2";

/** What clients ask about the server itself, and where the links go that they print. */
export function serverRoutes(scope: MlflowScope): void {
  scope.add("GET", "/api/3.0/mlflow/server-info", {
    right: "read",
    input: z.object({}),
    answer: async () => ({
      store_type: "SqlStore",
      workspaces_enabled: false,
      trace_archival_enabled: false,
      multipart_uploads_enabled: true,
      multipart_downloads_enabled: false,
      presigned_upload_run_id_supported: false,
      presigned_upload_model_id_supported: false,
      features_enabled: {},
    }),
  });
  const hidden = { schema: { hide: true } };
  scope.http.get(`${mlflowPrefix}/health`, hidden, async (_request, reply) => reply.type("text/plain").send("OK"));
  scope.http.get(`${mlflowPrefix}/version`, hidden, async (_request, reply) =>
    reply.type("text/plain").send(mlflowVersion),
  );
  // Clients print `…/#/experiments/1/runs/…`. A browser keeps what follows the `#` when it is led elsewhere.
  scope.http.get(mlflowPrefix, hidden, async (request, reply) =>
    reply.redirect(`/designer/tracking/${projectOf(request)}`, 302),
  );
  // Whoever asks for what is not there learns first whether they may ask.
  scope.http.all(`${mlflowPrefix}/*`, { ...hidden, config: mlflowConfig }, async (request) => {
    throw new MlflowError("ENDPOINT_NOT_FOUND", `There is no ${request.method} ${request.url.slice(0, 300)} here.`);
  });
}
