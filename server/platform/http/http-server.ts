import cookie from "@fastify/cookie";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type RawServerDefault } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { IncomingMessage, ServerResponse } from "node:http";
import { randomUUID } from "node:crypto";

import { installBodies } from "./bodies.ts";
import { installCompression } from "./compression.ts";
import type { Config } from "../settings/config.ts";
import { installErrorHandler } from "../errors/error-handler.ts";
import { installRevalidation } from "./not-modified.ts";
import { installSecurity } from "./security.ts";
import { installValidation } from "./validation.ts";
import { safely } from "../errors/safely.ts";

/** Our Fastify: routes with zod schemas, typed from them. */
export type Http = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

const defaultBodyLimit = 2 * 1024 * 1024;

export async function createHttp(
  config: Pick<Config, "logLevel" | "requestTimeout" | "trustProxy" | "publicUrl" | "host" | "hosts">,
): Promise<Http> {
  const app: Http = Fastify({
    logger: {
      level: config.logLevel,
      redact: ["req.headers.cookie", "req.headers.authorization"],
      // Standard output has sentences for people, and nothing else.
      stream: process.stderr,
    },
    // Trust the nearest proxy only: anybody can write the earlier entries of the header.
    trustProxy: config.trustProxy ? (_address: string, hop: number) => hop === 0 : false,
    bodyLimit: defaultBodyLimit,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    genReqId: () => randomUUID(),
    forceCloseConnections: "idle",
    // Log requests only when asked to. Errors are always logged.
    logController: new Fastify.LogController({ disableRequestLogging: true }),
    requestTimeout: config.requestTimeout,
    http: {
      // Node exchanges the two times when headers have the longer one.
      headersTimeout: Math.min(60_000, config.requestTimeout),
      connectionsCheckingInterval: Math.min(30_000, config.requestTimeout / 4),
    },
  }).withTypeProvider<ZodTypeProvider>();

  app.addHook("onResponse", async (request, reply) => {
    const { method } = request;
    const url = withoutToken(request.url);
    request.log.debug({ method, url, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, "request");
  });
  installErrorHandler(app);
  installSecurity(app, config);
  installValidation(app);
  await app.register(cookie);
  await installBodies(app);
  // Before compression: the tag of an answer is that of its plain text.
  installRevalidation(app);
  installCompression(app);
  return app;
}

/** Resolves when the last request in flight is answered. */
export async function closeHttp(app: Http): Promise<void> {
  // A browser keeps a connection alive that was busy when closing began. It would delay the stop by a minute.
  const sweeper = setInterval(
    safely(() => app.server.closeIdleConnections()),
    50,
  );
  try {
    await app.close();
  } finally {
    clearInterval(sweeper);
  }
}

/** Pages whose address ends with a secret. It must not be in logs. */
function withoutToken(url: string): string {
  return url.replace(/^(\/(?:password|invitation|confirm)\/).*/, "$1…");
}
