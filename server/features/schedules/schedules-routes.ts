import { messages } from "@miranda/contract/words/messages.ts";
import { nodeFile } from "@miranda/contract/limits.ts";
import { CallSummary } from "@miranda/contract/schemas/deployments/calls.ts";
import {
  Schedule,
  ScheduleBody,
  ScheduleList,
  ScheduleParams,
  SchedulePatch,
  SchedulePreview,
  SchedulePreviewBody,
  ScheduleTickPage,
  ScheduleTicksQuery,
} from "@miranda/contract/schemas/deployments/schedules.ts";
import { FileValue } from "@miranda/contract/schemas/files.ts";
import { Id } from "@miranda/contract/schemas/forms.ts";
import { z } from "zod";

import { AppError } from "../../platform/errors/app-error.ts";
import { findFile } from "../../platform/http/bodies.ts";
import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Schedules } from "./schedules-service.ts";

const tags = ["deployments"];
const ofGraph = z.object({ graphId: Id });
const params = ScheduleParams;
const all = "/api/v3/graphs/:graphId/deployment/schedules";
const one = `${all}/:scheduleId`;

export function scheduleRoutes(app: Http, schedules: Schedules): void {
  app.get(all, { schema: { tags, params: ofGraph, response: { 200: ScheduleList } } }, (request) =>
    schedules.list(callerOf(request), request.params.graphId),
  );

  app.post(
    all,
    { schema: { tags, params: ofGraph, body: ScheduleBody, response: { 201: Schedule } } },
    async (request, reply) => {
      const made = await schedules.create(callerOf(request), request.params.graphId, request.body);
      return reply.code(201).send(made);
    },
  );

  app.patch(one, { schema: { tags, params, body: SchedulePatch, response: { 200: Schedule } } }, (request) => {
    const { graphId, scheduleId } = request.params;
    return schedules.change(callerOf(request), graphId, scheduleId, request.body);
  });

  app.delete(one, { schema: { tags, params, response: { 204: z.null() } } }, async (request, reply) => {
    await schedules.remove(callerOf(request), request.params.graphId, request.params.scheduleId);
    return reply.code(204).send(null);
  });

  app.post(`${one}/run`, { schema: { tags, params, response: { 200: CallSummary } } }, (request) =>
    schedules.run(callerOf(request), request.params.graphId, request.params.scheduleId),
  );

  app.get(
    `${one}/ticks`,
    { schema: { tags, params, querystring: ScheduleTicksQuery, response: { 200: ScheduleTickPage } } },
    (request) => {
      const { graphId, scheduleId } = request.params;
      return schedules.ticks(callerOf(request), graphId, scheduleId, request.query);
    },
  );

  app.post(
    `${all}/files`,
    // Twice the limit of a file: a slightly larger one is refused with its own words.
    { bodyLimit: nodeFile.sizeMax * 2, schema: { tags, params: ofGraph, response: { 200: FileValue } } },
    (request) => {
      const file = findFile(request.body, "file");
      if (file?.filename === undefined) throw new AppError("bad_request", messages.noFile);
      const { filename, mimetype = "", data } = file;
      return schedules.addFile(callerOf(request), request.params.graphId, { filename, mimetype, data });
    },
  );

  app.post(
    "/api/v3/schedules/preview",
    { schema: { tags, body: SchedulePreviewBody, response: { 200: SchedulePreview } } },
    (request) => schedules.preview(request.body),
  );
}
