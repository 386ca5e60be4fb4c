import { Id } from "@miranda/contract/schemas/forms.ts";
import type { FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import type { z } from "zod";

import { AppError } from "../../../platform/errors/app-error.ts";
import { storable } from "../../../platform/database/storable-json.ts";
import { type Caller, callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import { refuseUnread } from "../../../platform/http/refuse-unread.ts";
import type { Projects, Right } from "../../projects/projects-service.ts";
import type { CallScope } from "./call-scope.ts";
import type { JobScope } from "./job-scope.ts";
import { asMlflowError, MlflowError, missing } from "./mlflow-error.ts";
import { readInput } from "./mlflow-inputs.ts";
import { RawJson } from "./raw-json.ts";

/** Who asks, in which project, and what. */
export interface MlflowCall<Input = unknown> {
  caller: Caller;
  projectId: string;
  /** The node whose code asks, where that is known. */
  node: number | null;
  /** The account of a person who only reads the project: the calls of others are not for them. */
  reader: string | undefined;
  input: Input;
  request: FastifyRequest;
}

interface Route<Schema extends z.ZodType> {
  /** Reading or writing: what the caller must be allowed to do in the project. */
  right: Right;
  input: Schema;
  bodyLimit?: number;
  /** Undefined answers `{}`. */
  answer: (call: MlflowCall<z.infer<Schema>>) => Promise<object | void>;
}

interface Dependencies {
  projects: Pick<Projects, "getProject">;
  /** What node code may do. */
  jobs: JobScope;
  /** Refuses a reader what calls of others logged. */
  calls: CallScope;
}

/** Also for routes that are not added by `add`. */
export const mlflowConfig = { bearerOnly: true, jobTokens: true } as const;

export type MlflowScope = ReturnType<typeof createMlflowScope>;

export const mlflowPrefix = "/mlflow/:projectId";

/** Routes for clients of MLflow: who may is decided before the body is read, and refusals are MLflow's JSON. */
export function createMlflowScope(scope: Http, { projects, jobs, calls }: Dependencies) {
  const readers = new WeakMap<FastifyRequest, string>();

  scope.removeAllContentTypeParsers();
  const parseJson = scope.getDefaultJsonParser("error", "error");
  // Whatever the type is called, as MLflow's own server does.
  scope.addContentTypeParser("*", { parseAs: "string" }, (request, text: string, done) => {
    if (text === "") return done(null, {});
    void parseJson(request, text, (error, value) =>
      error ? done(new AppError("invalid_body", "The body is not valid JSON.")) : done(null, value),
    );
  });
  scope.setErrorHandler((error: Error, request, reply) => {
    const refusal = refusalOf(error);
    if (!refusal) request.log.error({ err: error }, "request failed");
    return sendRefusal(reply, refusal ?? new MlflowError("INTERNAL_ERROR", `Something went wrong (${request.id}).`));
  });

  scope.addHook("onRequest", async (_request, reply) => void reply.header("cache-control", "no-store"));

  /** Before the body is read: whoever may not do this costs nothing but the connection. */
  async function checkRight(request: FastifyRequest, reply: FastifyReply, right: Right): Promise<void> {
    try {
      const { job } = callerOf(request);
      if (!job) {
        const { access } = await projects.getProject(callerOf(request), projectOf(request), right);
        if (access !== "viewer") return;
        const { accountId } = callerOf(request);
        readers.set(request, accountId);
        await calls.checkPath(accountId, pathOf(request));
      } else await jobs.checkCall(job, projectOf(request), right, request.routeOptions.url ?? "", pathOf(request));
    } catch (error) {
      throw refuseUnread(request, reply, error);
    }
  }

  return {
    http: scope,
    checkRight,

    /** `path` is below `/api/2.0/mlflow/`, or whole when it begins with a slash. */
    add<Schema extends z.ZodType>(
      method: HTTPMethods,
      path: string,
      { right, input, bodyLimit, answer }: Route<Schema>,
    ): void {
      scope.route({
        method,
        url: `${mlflowPrefix}${path.startsWith("/") ? path : `/api/2.0/mlflow/${path}`}`,
        ...(bodyLimit !== undefined && { bodyLimit }),
        // Searches are sent by POST, and only read.
        config: { ...mlflowConfig, tokenNeeds: right === "read" ? "read" : "write" },
        schema: { hide: true },
        onRequest: (request, reply) => checkRight(request, reply, right),
        handler: async (request, reply) => {
          const given = method === "GET" ? request.query : request.body;
          const { projectId: _projectId, ...named } = request.params as Record<string, string>;
          const whole = storable({ ...(given as object | undefined), ...named });
          const read = readInput(input, whole);
          const caller = callerOf(request);
          if (caller.job) await jobs.checkInput(caller.job, right, request.routeOptions.url ?? "", whole);
          const reader = readers.get(request);
          if (reader !== undefined) await calls.checkInput(reader, whole);
          const asked = { caller, projectId: projectOf(request), node: nodeOf(request), reader, input: read, request };
          const said = await answer(asked);
          if (said instanceof RawJson) return reply.type("application/json; charset=utf-8").send(said.text);
          return reply.send(said ?? {});
        },
      });
    },
  };
}

export function projectOf({ params }: FastifyRequest): string {
  const given = (params as Record<string, unknown>)["projectId"];
  const id = Id.safeParse(given);
  if (!id.success) throw missing("There is no such project, or you may not read it.");
  return id.data;
}

/** The artefact's, where the route has one. */
function pathOf({ params }: FastifyRequest): string | undefined {
  return (params as Record<string, string | undefined>)["*"];
}

/** Agents say which node runs. Nobody else is believed. */
function nodeOf(request: FastifyRequest): number | null {
  const given = request.headers["x-miranda-node"];
  return callerOf(request).job && typeof given === "string" && /^\d{1,15}$/.test(given) ? Number(given) : null;
}

function refusalOf(error: Error & { statusCode?: number }): MlflowError | undefined {
  if (error instanceof MlflowError) return error;
  if (error instanceof AppError) return asMlflowError(error);
  if ("code" in error && error.code === "FST_ERR_CTP_BODY_TOO_LARGE")
    return asMlflowError(new AppError("body_too_large"));
  // Fastify's own refusals of malformed requests. Any other error is a bug of ours.
  return error.statusCode && error.statusCode < 500 ? new MlflowError("BAD_REQUEST", error.message) : undefined;
}

function sendRefusal(reply: FastifyReply, { code, message, status, retryAfter }: MlflowError): FastifyReply {
  if (retryAfter !== undefined) void reply.header("retry-after", retryAfter);
  return reply.code(status).type("application/json; charset=utf-8").send({ error_code: code, message });
}
