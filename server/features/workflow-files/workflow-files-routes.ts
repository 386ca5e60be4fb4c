import { messages } from "@miranda/contract/words/messages.ts";
import { workflowFiles as limits } from "@miranda/contract/limits.ts";
import { Id } from "@miranda/contract/schemas/forms.ts";
import { GraphParams } from "@miranda/contract/schemas/graphs.ts";
import {
  MergeFilesBody,
  MergePreview,
  RestoredVersion,
  VersionParams,
  WorkflowFromFilesBody,
} from "@miranda/contract/schemas/versions.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";

import { AppError } from "../../platform/errors/app-error.ts";
import { openExports } from "../../limits.ts";
import { findFile } from "../../platform/http/bodies.ts";
import { type Caller, callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import { sendInSlices } from "../../platform/http/send-parts.ts";
import type { WorkShares } from "../../platform/limits/work-shares.ts";
import type { WorkflowFiles } from "./workflow-files-service.ts";
import { safely } from "../../platform/errors/safely.ts";

const tags = ["workflows"];
// Room for the form around the zip, and for a decision about every conflict.
const bodyLimit = limits.zipMax + limits.formMax;
const Created = z.object({ id: Id });
type Place = ReturnType<WorkflowFiles["openImport"]>;
const places = new WeakMap<FastifyRequest, Place>();

export function workflowFileRoutes(app: Http, files: WorkflowFiles, share: WorkShares): void {
  const downloads = createDownloads();

  app.get(
    "/api/v3/graphs/:graphId/versions/:version/files",
    { schema: { tags, params: VersionParams } },
    async (request, reply) => {
      const { graphId, version } = request.params;
      const caller = callerOf(request);
      downloads.open(caller, reply);
      const { name, zip } = await share(caller, () => files.export(caller, graphId, version));
      return reply
        .type("application/zip")
        .header("content-disposition", `attachment; filename*=UTF-8''${encodeURIComponent(name)}`)
        .send(zip);
    },
  );

  app.post(
    "/api/v3/graphs/files",
    { bodyLimit, onRequest, schema: { tags, body: withZip(WorkflowFromFilesBody), response: { 200: Created } } },
    async (request) => {
      const { zip: _zip, ...fields } = request.body;
      const { zip, place } = takeZip(request);
      return { id: await place.run(zip.length, () => files.create(callerOf(request), zip, fields)) };
    },
  );

  app.post(
    "/api/v3/graphs/:graphId/files/preview",
    {
      bodyLimit,
      onRequest,
      schema: { tags, params: GraphParams, body: withZip(z.object({})), response: { 200: MergePreview } },
    },
    async (request, reply) => {
      const { zip, place } = takeZip(request);
      const { graphId } = request.params;
      const preview = await place.run(zip.length, () => files.preview(callerOf(request), graphId, zip));
      return sendInSlices(reply, preview);
    },
  );

  app.post(
    "/api/v3/graphs/:graphId/files",
    {
      bodyLimit,
      onRequest,
      schema: { tags, params: GraphParams, body: withZip(MergeFilesBody), response: { 200: RestoredVersion } },
    },
    (request) => {
      const { zip: _zip, ...fields } = request.body;
      const { zip, place } = takeZip(request);
      const { graphId } = request.params;
      return place.run(zip.length, () => files.merge(callerOf(request), graphId, zip, fields));
    },
  );

  /** Reserves a place before the zip is in memory: many large ones at once would fill it. */
  async function onRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const length = Number(request.headers["content-length"]);
    if (length > bodyLimit) throw new AppError("workflow_files_too_large");
    const place = files.openImport(callerOf(request), Number.isSafeInteger(length) ? length : bodyLimit);
    places.set(request, place);
    reply.raw.once("close", safely(place.leave));
    // A client that disconnected while we authenticated it has closed already.
    if (reply.raw.closed) place.leave();
  }
}

/** Refuses more exports than an account may read at the same time: a slow reader keeps each of them in memory. */
function createDownloads() {
  const open = new Map<string, number>();
  const count = (accountId: string, change: number): void => {
    const left = (open.get(accountId) ?? 0) + change;
    if (left > 0) open.set(accountId, left);
    else open.delete(accountId);
  };
  return {
    open({ accountId }: Caller, { raw }: FastifyReply): void {
      if ((open.get(accountId) ?? 0) >= openExports.perAccount)
        throw new AppError("too_many_exports", undefined, openExports.retrySeconds);
      if (raw.closed) return;
      count(accountId, 1);
      raw.once(
        "close",
        safely(() => count(accountId, -1)),
      );
    },
  };
}

/** A form with a zip. The zip itself is read from the form by `takeZip`. */
function withZip<Shape extends z.ZodRawShape>(fields: z.ZodObject<Shape>) {
  return fields.extend({ zip: z.unknown().optional() });
}

function takeZip(request: FastifyRequest): { zip: Buffer; place: Place } {
  const file = findFile(request.body, "zip");
  const place = places.get(request);
  if (!file || file.data.length === 0) throw new AppError("bad_request", messages.noZip);
  if (!place) throw new AppError("bad_request");
  // Drop the form: otherwise it would be held as long as the zip waits.
  request.body = undefined;
  return { zip: file.data, place };
}
