import { call as limits, formText } from "@miranda/contract/limits.ts";
import {
  Call,
  CallInDesigner,
  CallPage,
  CallQuery,
  CallsQuery,
  type CallVia,
  ReportBody,
} from "@miranda/contract/schemas/deployments/calls.ts";
import { Id, numberBetween, oneOf } from "@miranda/contract/schemas/forms.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Readable } from "node:stream";
import { z } from "zod";

import { callApi } from "../../limits.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import { networkOf } from "../../platform/http/network-of.ts";
import { sendInSlices } from "../../platform/http/send-parts.ts";
import { createCallRate } from "../../platform/limits/call-rates.ts";
import type { CallBodies } from "../call-inputs/call-body.ts";
import { whoOf } from "../deployments/who.ts";
import type { CallApi, User } from "./call-api-service.ts";
import type { CallStreams } from "./call-streams.ts";
import { idempotencyKeyOf } from "./idempotency-key.ts";
import { sendFile } from "./send-file.ts";
import { ensureVisitor, visitorHashOf } from "./visitors.ts";
import { safely } from "../../platform/errors/safely.ts";

const tags = ["calls"];
// Who may call is decided for each deployment: an account, a token of the deployment, or somebody who has its link.
const config = { public: true, deploymentTokens: true };

const AppParams = z.object({ name: z.string().min(1).max(100) });
const CallParams = AppParams.extend({ id: Id });
const number = numberBetween("number", { min: 1, max: 1_000_000 }, "whole");
const FileParams = CallParams.extend({ number });
const FieldParams = CallParams.extend({ field: z.string().min(1).max(formText.shortTextMax) });
const FormatQuery = z.object({ format: oneOf("format", ["csv", "json"]).optional() });
const ShareParams = z.object({ share: z.string().min(20).max(100) });
const Shared = z.object({ share: z.string() });

interface Dependencies {
  api: CallApi;
  streams: CallStreams;
  bodies: CallBodies;
  publicUrl: string | undefined;
}

export function callApiRoutes(app: Http, { api, streams, bodies, publicUrl }: Dependencies): void {
  const visits = createCallRate(callApi.callsPerVisitor);

  /** A visitor without an account gets a secret with the first call. */
  function callingUser(request: FastifyRequest, reply: FastifyReply): User {
    const who = whoOf(request);
    if (who.accountId !== null) return who;
    const wait = visits.take(`${networkOf(request.ip)} ${who.link ?? ""}`);
    if (wait > 0) throw new AppError("too_many_calls", `That is too many calls. Try again in ${wait} s.`, wait);
    return { ...who, visitorHash: ensureVisitor(request, reply, publicUrl) };
  }

  app.post(
    "/api/v3/deployments/:name/runs",
    {
      bodyLimit: limits.bodyMax,
      config: { ...config, readsParts: true },
      schema: { tags, params: AppParams, querystring: CallQuery, response: { 200: Call, 202: Call } },
    },
    async (request, reply) => {
      const { name } = request.params;
      const { wait = 0, channel } = request.query;
      const key = idempotencyKeyOf(request.headers);
      const user = callingUser(request, reply);
      const used = await api.forUse(user, name, channel);
      const sender = { request, reply, caller: callerKey(request) };
      const made = await bodies.use(sender, used.release.form.fields, (given) =>
        api.make(user, used, given, { via: viaOf(request), key }),
      );
      const call = await api.wait(user, used, made, wait, leaving(reply));
      void reply.code(call.time_ended === null ? 202 : 200);
      void reply.header("location", `/api/v3/deployments/${used.deployment.name}/runs/${made.id}`);
      return sendInSlices(reply, call);
    },
  );

  app.get(
    "/api/v3/deployments/:name/runs",
    { config, schema: { tags, params: AppParams, querystring: CallsQuery, response: { 200: CallPage } } },
    (request) => api.listOwn(userOf(request), request.params.name, request.query),
  );

  app.get(
    "/api/v3/deployments/:name/runs/:id",
    { config, schema: { tags, params: CallParams, response: { 200: Call } } },
    async (request, reply) => {
      const { name, id } = request.params;
      return sendInSlices(reply, await api.get(userOf(request), name, id));
    },
  );

  app.get(
    "/api/v3/deployments/:name/runs/:id/events",
    { config, schema: { tags, params: CallParams } },
    async (request, reply) => {
      const { name, id } = request.params;
      const last = request.headers["last-event-id"];
      const events = await streams.open(userOf(request), name, id, {
        caller: callerKey(request),
        isStranger: !request.caller,
        last: typeof last === "string" ? last : undefined,
        signal: leaving(reply),
      });
      return (
        reply
          .type("text/event-stream; charset=utf-8")
          // Proxies would hold the events back.
          .header("x-accel-buffering", "no")
          .send(Readable.from(events, { objectMode: false }))
      );
    },
  );

  app.post(
    "/api/v3/deployments/:name/runs/:id/cancel",
    { config, schema: { tags, params: CallParams, response: { 200: Call } } },
    (request) => api.cancel(userOf(request), request.params.name, request.params.id),
  );

  app.get(
    "/api/v3/deployments/:name/runs/:id/files/:number",
    { config, schema: { tags, params: FileParams, querystring: FormatQuery } },
    async (request, reply) => {
      const { name, id, number: at } = request.params;
      return sendFile(reply, await api.file(userOf(request), name, id, at, request.query.format));
    },
  );

  app.get(
    "/api/v3/deployments/:name/runs/:id/inputs/:field",
    { config, schema: { tags, params: FieldParams } },
    async (request, reply) => {
      const { name, id, field } = request.params;
      return sendFile(reply, await api.sentFile(userOf(request), name, id, field));
    },
  );

  app.post(
    "/api/v3/deployments/:name/runs/:id/share",
    { config, schema: { tags, params: CallParams, response: { 200: Shared } } },
    (request) => api.share(userOf(request), request.params.name, request.params.id),
  );

  app.delete(
    "/api/v3/deployments/:name/runs/:id/share",
    { config, schema: { tags, params: CallParams } },
    async (request, reply) => {
      await api.unshare(userOf(request), request.params.name, request.params.id);
      return reply.code(204).send();
    },
  );

  app.post(
    "/api/v3/deployments/:name/runs/:id/report",
    { config, schema: { tags, params: CallParams, body: ReportBody } },
    async (request, reply) => {
      const { name, id } = request.params;
      await api.report(userOf(request), name, id, request.body.message);
      return reply.code(204).send();
    },
  );

  app.get(
    "/api/v3/deployments/:name/runs/:id/designer",
    { schema: { tags, params: CallParams, response: { 200: CallInDesigner } } },
    (request) => api.inDesigner(whoOf(request), request.params.name, request.params.id),
  );

  app.get(
    "/api/v3/shared/:share",
    { config: { public: true }, schema: { tags, params: ShareParams, response: { 200: Call } } },
    async (request, reply) => sendInSlices(reply, await api.shared(request.params.share)),
  );

  app.get(
    "/api/v3/shared/:share/files/:number",
    { config: { public: true }, schema: { tags, params: ShareParams.extend({ number }), querystring: FormatQuery } },
    async (request, reply) =>
      sendFile(reply, await api.sharedFile(request.params.share, request.params.number, request.query.format)),
  );

  app.get(
    "/api/v3/graphs/:graphId/deployment/calls",
    {
      schema: {
        tags,
        params: z.object({ graphId: Id }),
        querystring: CallsQuery,
        response: { 200: CallPage },
      },
    },
    (request) => api.listAll(callerOf(request), request.params.graphId, request.query),
  );

  app.addHook("preClose", async () => streams.close());
}

function userOf(request: FastifyRequest): User {
  return { ...whoOf(request), visitorHash: visitorHashOf(request) };
}

/** Who is counted. */
function callerKey(request: FastifyRequest): string {
  return request.caller?.accountId ?? networkOf(request.ip);
}

function viaOf({ caller }: FastifyRequest): CallVia {
  if (!caller) return "link";
  return caller.via === "session" ? "explorer" : "api";
}

/** Aborts when the client leaves. The call goes on. */
function leaving(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once(
    "close",
    safely(() => controller.abort()),
  );
  // A client that disconnected while we authenticated it has closed already.
  if (reply.raw.closed) controller.abort();
  return controller.signal;
}
