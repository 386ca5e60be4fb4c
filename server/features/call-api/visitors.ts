import type { FastifyReply, FastifyRequest } from "fastify";

import { hashToken, randomToken } from "../../platform/crypto.ts";
import { isSecure } from "../../platform/http/security.ts";

const cookieName = "miranda_visitor";
const days = 365;
const sound = /^[A-Za-z0-9_-]{43}$/;

/** The hash of the secret of a visitor without an account; undefined for somebody who has called nothing yet. */
export function visitorHashOf(request: FastifyRequest): Buffer | undefined {
  const secret = request.cookies[cookieName];
  return secret !== undefined && sound.test(secret) ? hashToken(secret) : undefined;
}

/** Gives a visitor a secret, so that they find their calls again. A page that another site frames needs it too. */
export function ensureVisitor(request: FastifyRequest, reply: FastifyReply, publicUrl: string | undefined): Buffer {
  const known = visitorHashOf(request);
  if (known) return known;
  const secret = randomToken();
  const secure = isSecure(request, publicUrl);
  void reply.setCookie(cookieName, secret, {
    path: "/api/v3/",
    httpOnly: true,
    secure,
    // Browsers take cookies inside of frames only over https.
    sameSite: secure ? "none" : "lax",
    partitioned: secure,
    maxAge: days * 86_400,
  });
  return hashToken(secret);
}
