import { call as limits } from "@miranda/contract/limits.ts";
import { z } from "zod";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Http } from "../../platform/http/http-server.ts";
import { refuseUnread } from "../../platform/http/refuse-unread.ts";
import type { Hooks } from "./hooks-service.ts";
import { idempotencyKeyOf } from "./idempotency-key.ts";

const signatureHeader = "x-miranda-signature";
const timeHeader = "x-miranda-timestamp";
const HookParams = z.object({ secret: z.string().min(20).max(200) });

export function hookRoutes(app: Http, hooks: Hooks): void {
  // In a scope of its own: here every body stays as it was sent, because the signature is about its bytes.
  void app.register(async (scope: Http) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    scope.post(
      "/api/v3/hooks/:secret",
      {
        bodyLimit: limits.bodyMax,
        // The framework would close the connection at once, and a client that still sends would see no answer.
        onRequest: async (request, reply) => {
          const announced = Number(request.headers["content-length"] ?? 0);
          if (announced > limits.bodyMax) throw refuseUnread(request, reply, new AppError("body_too_large"));
        },
        config: { public: true, readsParts: true },
        schema: { tags: ["calls"], params: HookParams, response: { 202: z.object({ id: z.string() }) } },
      },
      async (request, reply) => {
        const { body, headers } = request;
        const [signature, time] = [headers[signatureHeader], headers[timeHeader]];
        const made = await hooks.call(request.params.secret, {
          body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
          signature: typeof signature === "string" ? signature : undefined,
          time: typeof time === "string" ? time.trim() : undefined,
          key: idempotencyKeyOf(headers),
        });
        return reply.code(202).send(made);
      },
    );
  });
}
