import { errors } from "@miranda/contract/errors.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Readable } from "node:stream";

import { mcp as limits } from "./mcp-limits.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Http } from "../../platform/http/http-server.ts";
import { hasMoreValuesThan } from "../../platform/json-values.ts";
import { createOpenCounts } from "../../platform/limits/open-counts.ts";
import type { Who } from "../deployments/deployments-service.ts";
import type { Mcp } from "./mcp-service.ts";
import { safely } from "../../platform/errors/safely.ts";

interface Dependencies {
  mcp: Mcp;
  version: string;
  report: (error: unknown) => void;
}

/** The Model Context Protocol over HTTP, without sessions: each request is answered on its own. */
export function mcpRoutes(app: Http, { mcp, version, report }: Dependencies): void {
  const take = createOpenCounts({
    perCaller: limits.openPerCaller,
    inAll: limits.openInAll,
    words: "Too many calls of tools run at once.",
    retrySeconds: limits.retrySeconds,
  });
  const closing = new AbortController();
  app.addHook("preClose", async () => closing.abort());

  void app.register(async (scope: Http) => {
    // Assistants send JSON and no forms.
    scope.removeAllContentTypeParsers();
    const parseJson = jsonParser(scope);
    scope.addContentTypeParser("application/json", { parseAs: "buffer" }, parseJson);

    scope.post(
      "/mcp",
      {
        bodyLimit: limits.bodyMax,
        config: { bearerOnly: true, public: true, deploymentTokens: true },
        schema: { tags: ["calls"] },
        // Before reading the body: strangers must cost nothing but their connection, and nobody sends many at once.
        onRequest: async (request, reply) => {
          const end = take(whoOf(request, reply).accountId ?? "");
          // The request's own event says nothing about a body that was read: the connection does.
          reply.raw.once("close", safely(end));
          // A client that disconnected while we authenticated it has closed already.
          if (reply.raw.closed) end();
        },
      },
      async (request, reply) => {
        const who = whoOf(request, reply);
        if (Array.isArray(request.body) && request.body.length > limits.batchMax)
          throw new AppError("bad_request", `Send at most ${limits.batchMax} messages at once.`);
        const left = AbortSignal.any([closing.signal, leaving(reply)]);
        const response = await answer(request, { mcp, who, version, report, left });
        void reply.code(response.status);
        for (const [name, value] of response.headers) void reply.header(name, value);
        return reply.send(response.body ? Readable.from(response.body, { objectMode: false }) : "");
      },
    );
  });

  for (const method of ["GET", "DELETE"] as const)
    app.route({
      method,
      url: "/mcp",
      config: { bearerOnly: true, public: true, deploymentTokens: true },
      schema: { hide: true },
      // There is nothing to listen to and no session to end.
      handler: async (_request, reply) =>
        reply
          .code(405)
          .header("allow", "POST")
          .type("text/plain; charset=utf-8")
          .send("Send tools/list or tools/call by POST."),
    });
}

function whoOf({ caller }: FastifyRequest, reply: FastifyReply): Who {
  if (!caller) {
    void reply.header("www-authenticate", 'Bearer realm="Miranda"');
    throw new AppError("not_signed_in", "Send an access token as Authorization: Bearer.");
  }
  const { accountId, isAdmin, deploymentToken, onlyProject, onlyDeployment } = caller;
  return { accountId, isAdmin, deploymentToken, onlyProject, onlyDeployment };
}

/** A large body may be a file, which is one long text, but no endless list: parsing that would block the server. */
function jsonParser(app: Http) {
  const parse = app.getDefaultJsonParser("error", "error");
  return async (request: FastifyRequest, body: Buffer): Promise<unknown> => {
    if (body.length === 0) return {};
    if (body.length > limits.unseenMax && (await hasMoreValuesThan(limits.valuesMax, body)))
      throw new AppError("body_too_large");
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    void parse(request, body.toString(), (error, value) =>
      error ? reject(new AppError("invalid_body", "The body is not valid JSON.")) : resolve(value),
    );
    return promise;
  };
}

function leaving(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once(
    "close",
    safely(() => controller.abort()),
  );
  if (reply.raw.closed) controller.abort();
  return controller.signal;
}

interface Asked extends Dependencies {
  who: Who;
  left: AbortSignal;
}

/** The SDK is loaded with the first request: most installations never need it. */
async function answer(request: FastifyRequest, { mcp, who, version, report, left }: Asked): Promise<Response> {
  const [{ Server }, { WebStandardStreamableHTTPServerTransport: Transport }, types] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/index.js"),
    import("@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  const server = new Server({ name: "miranda", title: "Miranda", version }, { capabilities: { tools: {} } });
  const internal = (error: unknown): Error => {
    report(error);
    return new types.McpError(types.ErrorCode.InternalError, errors.internal);
  };
  server.setRequestHandler(types.ListToolsRequestSchema, async ({ params }) => {
    try {
      return await mcp.list(who, params?.cursor);
    } catch (error) {
      throw internal(error);
    }
  });
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }, extra) => {
    const token = params._meta?.progressToken;
    try {
      return await mcp.call(who, params.name, params.arguments ?? {}, {
        signal: AbortSignal.any([left, extra.signal]),
        onProgress: async (progress) => {
          if (token === undefined) return;
          await extra.sendNotification({
            method: "notifications/progress",
            params: { progressToken: token, ...progress },
          });
        },
      });
    } catch (error) {
      if (!(error instanceof AppError)) throw internal(error);
      if (error.code === "deployment_not_found")
        throw new types.McpError(types.ErrorCode.InvalidParams, `There is no tool ${params.name.slice(0, 100)}.`);
      const wait = error.retryAfter === undefined ? "" : ` Try again in ${error.retryAfter} s.`;
      return { content: [{ type: "text", text: `${error.message}${wait}` }], isError: true };
    }
  });
  const transport = new Transport({});
  await server.connect(transport);
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === "string" && !name.startsWith(":")) headers.set(name, value);
  const asked = new Request(`http://${request.host}/mcp`, { method: "POST", headers });
  return transport.handleRequest(asked, { parsedBody: request.body });
}
