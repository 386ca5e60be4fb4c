import { PageKeyQuery } from "@miranda/contract/schemas/pages.ts";
import {
  AliasParams,
  DeleteAliasBody,
  EmptyModelTrashQuery,
  ModelAliases,
  ModelDetails,
  ModelMetrics,
  ModelMetricsQuery,
  ModelParams,
  ModelTrash,
  ModelTrashQuery,
  ModelVersionDetails,
  ModelVersionPage,
  ModelVersionParams,
  ModelVersionsQuery,
  PatchModelBody,
  PatchModelVersionBody,
  PutAliasBody,
} from "@miranda/contract/schemas/models/versions.ts";
import { z } from "zod";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import { listParts, sendInSlices, sendParts } from "../../../platform/http/send-parts.ts";
import type { Aliases } from "../aliases/aliases-service.ts";
import type { EmptyTrash } from "../trash/empty-trash-service.ts";
import type { ModelsTrash } from "../trash/trash-service.ts";
import type { VersionMetrics } from "./version-metrics-service.ts";
import type { ModelVersions } from "./versions-service.ts";

const tags = ["models"];
const model = "/api/v3/models/:modelId";
const version = `${model}/versions/:number`;
const nothing = { 204: z.null() };

interface Features {
  versions: ModelVersions;
  metrics: VersionMetrics;
  aliases: Aliases;
  trash: ModelsTrash;
  emptyTrash: EmptyTrash;
}

/** The page of a model: its versions, aliases and trash. */
export function modelVersionRoutes(app: Http, { versions, metrics, aliases, trash, emptyTrash }: Features): void {
  app.get(model, { schema: { tags, params: ModelParams, response: { 200: ModelDetails } } }, (request) =>
    versions.describe(callerOf(request), request.params.modelId),
  );

  app.patch(
    model,
    { schema: { tags, params: ModelParams, body: PatchModelBody, response: { 200: ModelDetails } } },
    (request) => versions.patchModel(callerOf(request), request.params.modelId, request.body),
  );

  app.delete(model, { schema: { tags, params: ModelParams, response: nothing } }, async (request, reply) => {
    await trash.removeModel(callerOf(request), request.params.modelId);
    return reply.code(204).send(null);
  });

  app.post(
    `${model}/restore`,
    { schema: { tags, params: ModelParams, response: { 200: ModelDetails } } },
    async (request) => {
      const caller = callerOf(request);
      await trash.restoreModel(caller, request.params.modelId);
      return versions.describe(caller, request.params.modelId);
    },
  );

  app.get(
    "/api/v3/models/trash",
    { schema: { tags, querystring: ModelTrashQuery, response: { 200: ModelTrash } } },
    (request) => trash.list(callerOf(request), request.query),
  );

  app.delete(
    "/api/v3/models/trash",
    { schema: { tags, querystring: EmptyModelTrashQuery, response: nothing } },
    async (request, reply) => {
      await emptyTrash(callerOf(request), request.query.project_id);
      return reply.code(204).send(null);
    },
  );

  app.get(
    `${model}/versions`,
    { schema: { tags, params: ModelParams, querystring: ModelVersionsQuery, response: { 200: ModelVersionPage } } },
    async (request, reply) =>
      sendInSlices(reply, await versions.list(callerOf(request), request.params.modelId, request.query)),
  );

  app.get(
    version,
    { schema: { tags, params: ModelVersionParams, response: { 200: ModelVersionDetails } } },
    (request) => versions.get(callerOf(request), request.params.modelId, request.params.number),
  );

  app.patch(
    version,
    {
      schema: { tags, params: ModelVersionParams, body: PatchModelVersionBody, response: { 200: ModelVersionDetails } },
    },
    (request) => versions.patchVersion(callerOf(request), request.params.modelId, request.params.number, request.body),
  );

  app.delete(version, { schema: { tags, params: ModelVersionParams, response: nothing } }, async (request, reply) => {
    await trash.removeVersion(callerOf(request), request.params.modelId, request.params.number);
    return reply.code(204).send(null);
  });

  app.post(
    `${version}/restore`,
    { schema: { tags, params: ModelVersionParams, response: { 200: ModelVersionDetails } } },
    async (request) => {
      const caller = callerOf(request);
      const { modelId, number } = request.params;
      await trash.restoreVersion(caller, modelId, number);
      return versions.get(caller, modelId, number);
    },
  );

  app.get(
    `${model}/metrics`,
    { schema: { tags, params: ModelParams, querystring: ModelMetricsQuery, response: { 200: ModelMetrics } } },
    async (request, reply) =>
      sendParts(reply, listParts(await metrics.read(callerOf(request), request.params.modelId, request.query))),
  );

  app.get(
    `${model}/aliases`,
    { schema: { tags, params: ModelParams, querystring: PageKeyQuery, response: { 200: ModelAliases } } },
    (request) => aliases.list(callerOf(request), request.params.modelId, request.query),
  );

  app.put(
    `${model}/aliases/:alias`,
    { schema: { tags, params: AliasParams, body: PutAliasBody, response: { 200: ModelAliases } } },
    (request) => aliases.put(callerOf(request), request.params.modelId, request.params.alias, request.body),
  );

  app.delete(
    `${model}/aliases/:alias`,
    { schema: { tags, params: AliasParams, body: DeleteAliasBody, response: { 200: ModelAliases } } },
    (request) => aliases.remove(callerOf(request), request.params.modelId, request.params.alias, request.body.reason),
  );
}
