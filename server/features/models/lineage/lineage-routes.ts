import { Lineage, MadeModels, NodeModelsParams, Reproductions } from "@miranda/contract/schemas/models/lineage.ts";
import { ModelVersionParams } from "@miranda/contract/schemas/models/versions.ts";
import { RunParams } from "@miranda/contract/schemas/runs.ts";
import { VersionParams } from "@miranda/contract/schemas/versions.ts";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import type { LineageFeature } from "./lineage-service.ts";
import type { ReproductionsFeature } from "./reproductions-service.ts";

const tags = ["models"];
const version = "/api/v3/models/:modelId/versions/:number";
const answer = { 200: MadeModels };

export function lineageRoutes(app: Http, lineage: LineageFeature, reproductions: ReproductionsFeature): void {
  app.get(
    `${version}/lineage`,
    { schema: { tags, params: ModelVersionParams, response: { 200: Lineage } } },
    (request) => lineage.get(callerOf(request), request.params.modelId, request.params.number),
  );

  app.get(
    `${version}/reproductions`,
    { schema: { tags, params: ModelVersionParams, response: { 200: Reproductions } } },
    (request) => reproductions.get(callerOf(request), request.params.modelId, request.params.number),
  );

  app.get("/api/v3/runs/:runId/models", { schema: { tags, params: RunParams, response: answer } }, (request) =>
    lineage.ofRun(callerOf(request), request.params.runId),
  );

  app.get(
    "/api/v3/graphs/:graphId/versions/:version/models",
    { schema: { tags, params: VersionParams, response: answer } },
    (request) => lineage.ofVersion(callerOf(request), request.params.graphId, request.params.version),
  );

  app.get("/api/v3/objects/:id/models", { schema: { tags, params: NodeModelsParams, response: answer } }, (request) =>
    lineage.ofNode(callerOf(request), request.params.id),
  );
}
