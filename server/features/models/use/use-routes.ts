import {
  DeployedModel,
  DeployModelBody,
  InsertedModel,
  InsertModelBody,
  ModelCode,
  ModelCodeQuery,
} from "@miranda/contract/schemas/models/use.ts";
import { ModelVersionParams } from "@miranda/contract/schemas/models/versions.ts";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import type { ModelUse } from "./use-service.ts";

const tags = ["models"];
const params = ModelVersionParams;
const version = "/api/v3/models/:modelId/versions/:number";

export function modelUseRoutes(app: Http, use: ModelUse): void {
  app.get(
    `${version}/code`,
    { schema: { tags, params, querystring: ModelCodeQuery, response: { 200: ModelCode } } },
    (request) => use.code(callerOf(request), request.params.modelId, request.params.number, request.query.alias),
  );

  app.post(
    `${version}/node`,
    { schema: { tags, params, body: InsertModelBody, response: { 200: InsertedModel } } },
    (request) => use.insert(callerOf(request), request.params.modelId, request.params.number, request.body),
  );

  app.post(
    `${version}/deploy`,
    { schema: { tags, params, body: DeployModelBody, response: { 200: DeployedModel } } },
    (request) => use.deploy(callerOf(request), request.params.modelId, request.params.number, request.body),
  );
}
