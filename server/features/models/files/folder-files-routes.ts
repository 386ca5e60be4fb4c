import {
  ArtifactFileQuery,
  ArtifactParams,
  ArtifactQuery,
  bytesHeader,
  ModelArtifacts,
} from "@miranda/contract/schemas/models/artifacts.ts";
import { TrackedRunParams } from "@miranda/contract/schemas/models/compare.ts";
import { RunParams } from "@miranda/contract/schemas/runs.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";

import { artifacts as limits } from "../../../limits.ts";
import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import { createOpenCounts } from "../../../platform/limits/open-counts.ts";
import type { FolderFiles } from "./folder-files-service.ts";
import { safely } from "../../../platform/errors/safely.ts";

const tags = ["models"];

interface Features {
  ofVersion: FolderFiles<ArtifactParams>;
  ofRun: FolderFiles<RunParams>;
  ofTrackedRun: FolderFiles<TrackedRunParams>;
}

/** The files of versions and of runs. */
export function folderFileRoutes(app: Http, { ofVersion, ofRun, ofTrackedRun }: Features): void {
  const take = createOpenCounts({
    perCaller: limits.openPerCaller,
    inAll: limits.openInAll,
    words: "Too many files are downloaded at once.",
    retrySeconds: limits.retrySeconds,
  });
  /** Each has a file and a connection open, for as long as a slow reader likes. */
  const counted = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const end = take(callerOf(request).accountId);
    reply.raw.once("close", safely(end));
    if (reply.raw.closed) end();
  };

  function add<Owner>(base: string, params: z.ZodType<Owner>, files: FolderFiles<Owner>): void {
    app.get(
      `${base}/artifacts`,
      { schema: { tags, params, querystring: ArtifactQuery, response: { 200: ModelArtifacts } } },
      (request) => files.list(callerOf(request), request.params as Owner, request.query.path),
    );

    app.get(
      `${base}/artifacts/file`,
      { exposeHeadRoute: false, onRequest: counted, schema: { tags, params, querystring: ArtifactFileQuery } },
      async (request, reply) => {
        const { path, preview } = request.query;
        const file = await files.read(callerOf(request), request.params as Owner, path, preview);
        return attachment(reply, file.name)
          .type(file.type)
          .header("content-length", file.shown)
          .header(bytesHeader, file.bytes)
          .send(file.content);
      },
    );

    app.get(
      `${base}/artifacts.zip`,
      { exposeHeadRoute: false, onRequest: counted, schema: { tags, params, querystring: ArtifactQuery } },
      async (request, reply) => {
        const zip = await files.zip(callerOf(request), request.params as Owner, request.query.path);
        return attachment(reply, zip.name)
          .type("application/zip")
          .header("content-length", zip.bytes)
          .send(zip.content);
      },
    );
  }

  add("/api/v3/models/:modelId/versions/:number", ArtifactParams, ofVersion);
  add("/api/v3/runs/:runId", RunParams, ofRun);
  add("/api/v3/projects/:projectId/experiments/:number/runs/:key", TrackedRunParams, ofTrackedRun);
}

function attachment(reply: FastifyReply, name: string): FastifyReply {
  return reply.header("content-disposition", `attachment; filename*=UTF-8''${encodeURIComponent(name)}`);
}
