import { basename } from "node:path/posix";

import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";

import { artifacts as limits } from "../../../limits.ts";
import { callerOf } from "../../../platform/http/caller.ts";
import { refuseUnread } from "../../../platform/http/refuse-unread.ts";
import { createOpenCounts } from "../../../platform/limits/open-counts.ts";
import { checkPath } from "../../artifacts/artifact-paths.ts";
import type { Artifacts, OpenedArtifact } from "../../artifacts/artifacts-service.ts";
import { MlflowError } from "../http/mlflow-error.ts";
import { mlflowConfig, mlflowPrefix, type MlflowScope, projectOf } from "../http/mlflow-scope.ts";
import { safely } from "../../../platform/errors/safely.ts";

const base = `${mlflowPrefix}/api/2.0/mlflow-artifacts`;
const config = mlflowConfig;
const schema = { hide: true };

/** The proxy for artefacts: what clients of MLflow store and fetch through the tracking server. */
export function artifactProxyRoutes(mlflow: MlflowScope, artifacts: Artifacts): void {
  const take = createOpenCounts({
    perCaller: limits.openPerCaller,
    inAll: limits.openInAll,
    words: "Too many files are sent at once.",
    retrySeconds: limits.retrySeconds,
  });

  const counted = (request: FastifyRequest, reply: FastifyReply): void => {
    const end = take(callerOf(request).accountId);
    reply.raw.once("close", safely(end));
    // A client that disconnected while we authenticated it has closed already.
    if (reply.raw.closed) end();
  };

  mlflow.add("GET", "/api/2.0/mlflow-artifacts/artifacts", {
    right: "read",
    input: z.object({ path: z.string().default("") }),
    answer: async ({ projectId, input }) => {
      const found = await artifacts.list(projectId, input.path.replace(/\/$/, ""));
      return found.length === 0 ? {} : { files: found.map(({ name, bytes }) => fileInfo(name, bytes)) };
    },
  });

  void mlflow.http.register(async (scope) => {
    // Files are never held in memory.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));

    scope.put(
      `${base}/artifacts/*`,
      {
        config,
        schema,
        onRequest: async (request, reply) => {
          await mlflow.checkRight(request, reply, "write");
          counted(request, reply);
        },
      },
      async (request, reply) => {
        try {
          const announced = Number(request.headers["content-length"] ?? 0);
          await artifacts.put(projectOf(request), pathOf(request), request.raw, announced);
          return await reply.send({});
        } catch (error) {
          throw refuseUnread(request, reply, error);
        }
      },
    );

    scope.get(
      `${base}/artifacts/*`,
      {
        config,
        schema,
        exposeHeadRoute: false,
        onRequest: async (request, reply) => {
          await mlflow.checkRight(request, reply, "read");
          counted(request, reply);
        },
      },
      async (request, reply) => sendArtifact(request, reply, await artifacts.get(projectOf(request), pathOf(request))),
    );

    scope.delete(
      `${base}/artifacts/*`,
      { config, schema, onRequest: (request, reply) => mlflow.checkRight(request, reply, "write") },
      async (request) => {
        await artifacts.remove(projectOf(request), pathOf(request));
        return {};
      },
    );

    scope.put<{ Params: { upload: string; number: string } }>(
      `${base}/mpu/parts/:upload/:number`,
      {
        config,
        schema,
        onRequest: async (request, reply) => {
          await mlflow.checkRight(request, reply, "write");
          counted(request, reply);
        },
      },
      async (request, reply) => {
        try {
          const announced = Number(request.headers["content-length"] ?? 0);
          const { upload, number } = request.params;
          const part = /^\d{1,5}$/.test(number) ? Number(number) : 0;
          const tag = await artifacts.uploads.put(projectOf(request), upload, part, request.raw, announced);
          return await reply.header("etag", `"${tag}"`).send({});
        } catch (error) {
          throw refuseUnread(request, reply, error);
        }
      },
    );

    // As MLflow's own server answers with files on its disk: clients then ask the proxy for the file.
    scope.get(
      `${base}/presigned/*`,
      { config, schema, onRequest: (request, reply) => mlflow.checkRight(request, reply, "read") },
      async () => {
        throw new MlflowError("NOT_IMPLEMENTED", "Presigned downloads are not supported. Ask the proxy for the file.");
      },
    );
  });
}

export const fileInfo = (path: string, bytes: number | null) =>
  bytes === null ? { path, is_dir: true } : { path, is_dir: false, file_size: bytes };

/** Always as a download: no page that somebody stored runs on this site. */
async function sendArtifact(request: FastifyRequest, reply: FastifyReply, file: OpenedArtifact): Promise<FastifyReply> {
  void reply
    .type("application/octet-stream")
    .header("content-disposition", `attachment; filename*=UTF-8''${encodeURIComponent(basename(file.path))}`)
    .header("accept-ranges", "bytes");
  const range = rangeOf(request.headers.range, file.bytes);
  if (range === "none") {
    void reply.header("content-range", `bytes */${file.bytes}`);
    throw new MlflowError("INVALID_PARAMETER_VALUE", "The file has no such part.", 416);
  }
  if (!range) return reply.header("content-length", file.bytes).send(await file.open());
  return reply
    .code(206)
    .header("content-range", `bytes ${range.start}-${range.end}/${file.bytes}`)
    .header("content-length", range.end - range.start + 1)
    .send(await file.open(range));
}

/** One part of a file. Undefined: all of it, also when several parts are asked for. */
function rangeOf(header: string | undefined, bytes: number) {
  const [, from = "", to = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (from === "" && to === "") return undefined;
  const start = from === "" ? Math.max(0, bytes - Number(to)) : Number(from);
  const end = from === "" || to === "" ? bytes - 1 : Math.min(Number(to), bytes - 1);
  return start > end ? "none" : { start, end };
}

function pathOf(request: FastifyRequest): string {
  const { "*": path = "" } = request.params as Record<string, string>;
  return checkPath(path);
}
