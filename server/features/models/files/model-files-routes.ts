import {
  ArtifactFileQuery,
  ArtifactParams,
  ArtifactQuery,
  bytesHeader,
  ModelArtifacts,
} from "@miranda/contract/schemas/models/artifacts.ts";
import type { FastifyReply, FastifyRequest } from "fastify";

import { artifacts as limits } from "../../../limits.ts";
import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import { createOpenCounts } from "../../../platform/limits/open-counts.ts";
import type { ModelFiles } from "./model-files-service.ts";

const version = "/api/v3/models/:modelId/versions/:number";
const tags = ["models"];

export function modelFileRoutes(app: Http, files: ModelFiles): void {
  const take = createOpenCounts({
    perCaller: limits.openPerCaller,
    inAll: limits.openInAll,
    words: "Too many files are downloaded at once.",
    retrySeconds: limits.retrySeconds,
  });
  /** Each has a file and a connection open, for as long as a slow reader likes. */
  const counted = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const end = take(callerOf(request).accountId);
    reply.raw.once("close", end);
    if (reply.raw.closed) end();
  };

  app.get(
    `${version}/artifacts`,
    { schema: { tags, params: ArtifactParams, querystring: ArtifactQuery, response: { 200: ModelArtifacts } } },
    (request) => {
      const { modelId, number } = request.params;
      return files.list(callerOf(request), modelId, number, request.query.path);
    },
  );

  app.get(
    `${version}/artifacts/file`,
    {
      exposeHeadRoute: false,
      onRequest: counted,
      schema: { tags, params: ArtifactParams, querystring: ArtifactFileQuery },
    },
    async (request, reply) => {
      const { modelId, number } = request.params;
      const { path, preview } = request.query;
      const file = await files.read(callerOf(request), modelId, number, path, preview);
      return attachment(reply, file.name)
        .type(file.type)
        .header("content-length", file.shown)
        .header(bytesHeader, file.bytes)
        .send(file.content);
    },
  );

  app.get(
    `${version}/artifacts.zip`,
    {
      exposeHeadRoute: false,
      onRequest: counted,
      schema: { tags, params: ArtifactParams, querystring: ArtifactQuery },
    },
    async (request, reply) => {
      const { modelId, number } = request.params;
      const zip = await files.zip(callerOf(request), modelId, number, request.query.path);
      return attachment(reply, zip.name).type("application/zip").header("content-length", zip.bytes).send(zip.content);
    },
  );
}

function attachment(reply: FastifyReply, name: string): FastifyReply {
  return reply.header("content-disposition", `attachment; filename*=UTF-8''${encodeURIComponent(name)}`);
}
