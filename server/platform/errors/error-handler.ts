import { errorHeader, placeHeaders } from "@miranda/contract/error-headers.ts";
import { errors } from "@miranda/contract/errors.ts";
import type { FastifyError, FastifyInstance } from "fastify";

import { AppError } from "./app-error.ts";
import { isLostConnection } from "../database/lost-connections.ts";
import { isFullDisk } from "../limits/full-disk.ts";
import { serverBusy } from "../limits/overload.ts";
import { statuses } from "./error-statuses.ts";

/** The `Retry-After` in seconds of a 429 that names none. */
const shortestWait = 1;

/**
 * Answers every refusal: its status, its code in a header, and its words as plain text, to be shown as they are. A client that
 * asks for JSON gets the details of a refusal that has any.
 */
export function installErrorHandler(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError | AppError, request, reply) => {
    const refusal = asRefusal(error);
    if (refusal) {
      const status = statuses[refusal.code];
      const wait = refusal.retryAfter ?? (status === 429 ? shortestWait : undefined);
      if (wait !== undefined) void reply.header("retry-after", wait);
      if (refusal.place) void reply.headers(placeHeaders(refusal.place));
      void reply.code(status).header(errorHeader, refusal.code);
      if (refusal.details && request.headers.accept?.includes("application/json"))
        return reply.send({ message: refusal.message, ...refusal.details });
      return reply.type("text/plain; charset=utf-8").send(refusal.message);
    }
    request.log.error({ err: error }, "request failed");
    // Internal errors go to the log only: strangers must not read them.
    return reply
      .code(statuses.internal)
      .header(errorHeader, "internal")
      .type("text/plain; charset=utf-8")
      .send(`${errors.internal} (request ${request.id})`);
  });
}

function asRefusal(error: FastifyError | AppError): AppError | undefined {
  if (error instanceof AppError) return error;
  if (isFullDisk(error)) return new AppError("disk_full");
  if (isLostConnection(error)) return serverBusy();
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
    case "FST_REQ_FILE_TOO_LARGE":
      return new AppError("body_too_large");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new AppError("unsupported_body");
    default:
      // Fastify's own refusals of malformed requests. Any other error is a bug of ours.
      return error.statusCode && error.statusCode < 500 ? new AppError("bad_request", error.message) : undefined;
  }
}
