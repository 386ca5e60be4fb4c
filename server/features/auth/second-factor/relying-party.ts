import type { FastifyRequest } from "fastify";

/** Whom passkeys are for, as WebAuthn calls it: browsers offer a passkey only at the address where it was made. */
export interface RelyingParty {
  origin: string;
  /** The name that passkeys belong to. */
  rpId: string;
}

/**
 * PUBLIC_URL, or the page that makes the request. The server has checked before that the page's host is its own, so no other
 * site can name itself here.
 */
export function relyingPartyOf(request: FastifyRequest, publicUrl: string | undefined): RelyingParty {
  const page = request.headers.origin ?? `${request.protocol}://${request.headers.host ?? "localhost"}`;
  const { origin, hostname } = new URL(publicUrl ?? page);
  return { origin, rpId: hostname };
}
