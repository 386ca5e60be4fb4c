import { Id, IdParams } from "@miranda/contract/schemas/forms.ts";
import { GraphParams } from "@miranda/contract/schemas/graphs.ts";
import { processor as limits } from "@miranda/contract/limits.ts";
import {
  AnswerBody,
  BreakEvent,
  CommandBody,
  CreateProcessorBody,
  CreateProcessorResponse,
  Job,
  JobListQuery,
  JobsResponse,
  JobSummary,
  LogEntryList,
  LogsQuery,
  NodeOutputList,
  NodeRunList,
  QueuePosition,
  OutputsQuery,
  ProcessorResponse,
  RunPackagesList,
} from "@miranda/contract/schemas/processors.ts";
import { OpenQuestions } from "@miranda/contract/schemas/realtime.ts";
import { z } from "zod";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import { isNotModified } from "../../platform/http/not-modified.ts";
import { sendNothing, sendParts } from "../../platform/http/send-parts.ts";
import type { Answers } from "./commands/answers-service.ts";
import type { Processors } from "./processors-service.ts";

const tags = ["processors"];
// The service checks the command: an unknown one is named only to people who may send any.
const CommandParams = z.object({ graphId: Id, command: z.string() });
/** `number` identifies the answer to a question. */
const Ordered = z.object({ tag: z.number(), number: z.number().optional() });

export function processorRoutes(app: Http, processors: Processors, answers: Answers): void {
  app.get(
    "/api/v3/graphs/:graphId/processor",
    { schema: { tags, params: GraphParams, response: { 200: ProcessorResponse } } },
    (request) => processors.find(callerOf(request), request.params.graphId),
  );

  app.get(
    "/api/v3/graphs/:graphId/processor/logs",
    { schema: { tags, params: GraphParams, querystring: LogsQuery, response: { 200: LogEntryList } } },
    async (request, reply) =>
      sendParts(reply, await processors.logs(callerOf(request), request.params.graphId, request.query)),
  );

  app.get(
    "/api/v3/graphs/:graphId/processor/break",
    { schema: { tags, params: GraphParams, response: { 200: BreakEvent.nullable() } } },
    (request) => processors.findBreak(callerOf(request), request.params.graphId),
  );

  app.get(
    "/api/v3/graphs/:graphId/processor/questions",
    { schema: { tags, params: GraphParams, response: { 200: OpenQuestions } } },
    (request) => processors.openQuestions(callerOf(request), request.params.graphId),
  );

  app.post(
    "/api/v3/graphs/:graphId/processor/answers",
    { schema: { tags, params: GraphParams, body: AnswerBody, response: { 200: z.object({}) } } },
    async (request) => {
      await answers.takeClear(callerOf(request), request.params.graphId, request.body);
      return {};
    },
  );

  app.post(
    "/api/v3/graphs/:graphId/processor",
    { schema: { tags, params: GraphParams, body: CreateProcessorBody, response: { 200: CreateProcessorResponse } } },
    (request) => processors.create(callerOf(request), request.params.graphId, request.body),
  );

  app.post(
    "/api/v3/graphs/:graphId/processor/:command",
    {
      // Room for the escapes of a urlencoded form.
      bodyLimit: limits.argsMax * 3,
      schema: { tags, params: CommandParams, body: CommandBody, response: { 200: Ordered } },
    },
    (request) => {
      const { graphId, command } = request.params;
      return processors.command(callerOf(request), graphId, command, request.body.args);
    },
  );

  app.post(
    "/api/v3/graphs/:graphId/run-check",
    {
      bodyLimit: limits.argsMax * 3,
      schema: { tags, params: GraphParams, body: CommandBody, response: { 200: z.object({}) } },
    },
    async (request) => {
      await processors.checkRun(callerOf(request), request.params.graphId, request.body.args);
      return {};
    },
  );

  app.get(
    "/api/v3/jobs",
    { config: { revalidated: true }, schema: { tags, querystring: JobListQuery, response: { 200: JobsResponse } } },
    (request) => processors.list(callerOf(request), request.query),
  );

  app.get(
    "/api/v3/jobs/:id",
    { schema: { tags, params: IdParams, querystring: LogsQuery, response: { 200: Job } } },
    async (request, reply) => {
      const { tag, text } = await processors.get(callerOf(request), request.params.id, request.query);
      if (tag !== undefined && isNotModified(request, reply, tag)) return sendNothing(reply);
      return sendParts(reply, text);
    },
  );

  app.get(
    "/api/v3/jobs/:id/outputs",
    { schema: { tags, params: IdParams, querystring: OutputsQuery, response: { 200: NodeOutputList } } },
    async (request, reply) =>
      sendParts(reply, await processors.outputs(callerOf(request), request.params.id, request.query)),
  );

  app.get("/api/v3/jobs/:id/nodes", { schema: { tags, params: IdParams, response: { 200: NodeRunList } } }, (request) =>
    processors.nodeRuns(callerOf(request), request.params.id),
  );

  app.get(
    "/api/v3/jobs/:id/packages",
    { schema: { tags, params: IdParams, response: { 200: RunPackagesList } } },
    (request) => processors.packages(callerOf(request), request.params.id),
  );

  app.get(
    "/api/v3/jobs/:id/queue",
    { schema: { tags, params: IdParams, response: { 200: QueuePosition.nullable() } } },
    (request) => processors.queuePosition(callerOf(request), request.params.id),
  );

  app.put("/api/v3/jobs/:id/keep", { schema: { tags, params: IdParams, response: { 200: JobSummary } } }, (request) =>
    processors.keep(callerOf(request), request.params.id),
  );

  app.put("/api/v3/jobs/:id/cancel", { schema: { tags, params: IdParams, response: { 200: JobSummary } } }, (request) =>
    processors.cancel(callerOf(request), request.params.id),
  );
}
