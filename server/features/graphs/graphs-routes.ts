import {
  BrowseGraphsQuery,
  CloneGraphBody,
  CreateGraphBody,
  GraphParams,
  GraphQuery,
  ImportReport,
  PatchGraphBody,
  Workflow,
  WorkflowList,
} from "@miranda/contract/schemas/graphs.ts";
import { Id } from "@miranda/contract/schemas/forms.ts";
import { isRecord } from "@miranda/contract/json.ts";
import { graphml } from "@miranda/contract/limits.ts";
import { GraphResponse } from "@miranda/contract/schemas/nodes.ts";
import { DeletePreview, DeleteQuery } from "@miranda/contract/schemas/projects.ts";
import { messages } from "@miranda/contract/words/messages.ts";
import type { FastifyRequest } from "fastify";
import { z } from "zod";

import { AppError } from "../../platform/errors/app-error.ts";
import { findFile } from "../../platform/http/bodies.ts";
import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import { isNotModified } from "../../platform/http/not-modified.ts";
import { sendNothing, sendParts } from "../../platform/http/send-parts.ts";
import type { Graphs } from "./graphs-service.ts";
import type { ImportPlace } from "./imports/import-queue.ts";
import { safely } from "../../platform/errors/safely.ts";

const tags = ["workflows"];
const params = GraphParams;
const Created = z.object({ id: Id });
const places = new WeakMap<FastifyRequest, ImportPlace>();

export function graphRoutes(app: Http, graphs: Graphs): void {
  app.get(
    "/api/v3/graphs/browse",
    { schema: { tags, querystring: BrowseGraphsQuery, response: { 200: WorkflowList } } },
    (request) => graphs.browse(callerOf(request), request.query),
  );

  app.post(
    "/api/v3/graphs",
    { schema: { tags, body: CreateGraphBody, response: { 200: Created } } },
    async (request) => ({ id: await graphs.create(callerOf(request), request.body) }),
  );

  app.get("/api/v3/graphs/:graphId", { schema: { tags, params, response: { 200: Workflow } } }, (request) =>
    graphs.describe(callerOf(request), request.params.graphId),
  );

  app.patch(
    "/api/v3/graphs/:graphId",
    { schema: { tags, params, body: PatchGraphBody, response: { 200: z.object({}) } } },
    async (request) => {
      await graphs.change(callerOf(request), request.params.graphId, request.body);
      return {};
    },
  );

  app.delete(
    "/api/v3/graphs/:graphId",
    { schema: { tags, params, querystring: DeleteQuery, response: { 200: z.union([DeletePreview, z.object({})]) } } },
    async (request) => {
      if (request.query.preview) return graphs.preview(callerOf(request), request.params.graphId);
      await graphs.remove(callerOf(request), request.params.graphId);
      return {};
    },
  );

  app.get(
    "/api/v3/graphs/:graphId/graph",
    { schema: { tags, params, querystring: GraphQuery, response: { 200: GraphResponse } } },
    async (request, reply) => {
      const isKnown = (tag: string) => isNotModified(request, reply, tag);
      const { include_updates } = request.query;
      const graph = await graphs.read(callerOf(request), request.params.graphId, include_updates, isKnown);
      if (graph === "known") return sendNothing(reply);
      if (graph.hasSecrets) reply.header("cache-control", "no-store").removeHeader("etag");
      return sendParts(reply, graph.text);
    },
  );

  app.post(
    "/api/v3/graphs/:graphId/clone",
    { schema: { tags, params, body: CloneGraphBody, response: { 200: Created } } },
    async (request) => ({
      id: await graphs.clone(callerOf(request), request.params.graphId, request.body.to_project),
    }),
  );

  app.post(
    "/api/v3/graphs/:graphId/graphml",
    // Room for the form around the largest file, and for escapes in urlencoded ones.
    {
      bodyLimit: graphml.bodyMax * 2,
      schema: { tags, params, response: { 200: ImportReport } },
      onRequest: async (request, reply) => {
        const place = graphs.openImport(callerOf(request), declaredLength(request, graphml.bodyMax * 2));
        places.set(request, place);
        reply.raw.once("close", safely(place.leave));
        // A client that disconnected while we authenticated it has closed already.
        if (reply.raw.closed) place.leave();
      },
    },
    (request) => {
      const file = fileIn(request.body);
      // Drop the form: otherwise it would be held as long as the file waits.
      request.body = undefined;
      const place = places.get(request);
      if (!place) throw new AppError("bad_request");
      return graphs.importGraphml(callerOf(request), request.params.graphId, file, place);
    },
  );

  app.get("/api/v3/graphs/:graphId/graphml", { schema: { tags, params } }, async (request, reply) => {
    const { name, text } = await graphs.exportGraphml(callerOf(request), request.params.graphId);
    const file = `${name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")}.graphml`;
    return reply
      .type("application/graphml+xml; charset=utf-8")
      .header("content-disposition", `attachment; filename*=UTF-8''${encodeURIComponent(file)}`)
      .send(text);
  });
}

/** The announced length of a request, or the maximum without one. */
function declaredLength({ headers }: FastifyRequest, most: number): number {
  const length = Number(headers["content-length"]);
  if (length > most) throw new AppError("body_too_large");
  return Number.isSafeInteger(length) && length >= 0 ? length : most;
}

/** The field `body`, as an uploaded file in any encoding or as text. */
function fileIn(form: unknown): Uint8Array {
  const body = isRecord(form) ? form["body"] : undefined;
  if (typeof body === "string" && body.trim() !== "") return Buffer.from(body);
  const file = findFile(form, "body");
  if (file && file.data.length > 0) return file.data;
  throw new AppError("bad_request", messages.noFile);
}
