import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createHash } from "node:crypto";

import { version } from "../version.ts";
import { addVary } from "./compression.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** A list that screens ask for again and again: the browser keeps it, and gets 304 while it is the same. */
    revalidated?: boolean;
  }
}

/** Answers 304 on routes marked `revalidated` when the browser already has this very body. */
export function installRevalidation(app: FastifyInstance): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    if (!request.routeOptions.config.revalidated || reply.statusCode !== 200 || typeof payload !== "string")
      return done(null, payload);
    if (!isNotModified(request, reply, tagOf([payload]))) return done(null, payload);
    return done(null, null);
  });
}

/** The tag of an answer. It changes with the parts, and with the product, which may write the same things otherwise. */
export function tagOf(parts: readonly (string | number | boolean)[]): string {
  const hash = createHash("sha1").update(version);
  for (const part of parts) hash.update("\0").update(String(part));
  return `W/"${hash.digest("base64url")}"`;
}

/**
 * Lets the browser, and no cache that people share, keep the answer with this tag. True when it has it: the answer is
 * then 304, without a body. Tags are weak because the same answer may be sent compressed or not.
 */
export function isNotModified(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  reply.headers({ etag: tag, "cache-control": "private, no-cache" });
  addVary(reply);
  if (!namesTag(request.headers["if-none-match"], tag)) return false;
  reply.code(304).removeHeader("content-type").removeHeader("content-length");
  return true;
}

function namesTag(header: string | undefined, tag: string): boolean {
  if (!header) return false;
  if (header.trim() === "*") return true;
  const opaque = (one: string) => one.trim().replace(/^W\//, "");
  return header.split(",").some((one) => opaque(one) === opaque(tag));
}
