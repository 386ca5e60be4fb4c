import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { AppError } from "../errors/app-error.ts";
import { createAllowedHosts, type HostSettings } from "./allowed-hosts.ts";

const contentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self'",
  // Editors and the canvas position their elements by style attributes and their own style sheets.
  "style-src 'self' 'unsafe-inline'",
  // No other host: a picture in a text would reveal who looks at the page.
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "media-src 'self' data: blob:",
  // Outputs are in frames whose page is part of ours. No frame loads anything.
  "frame-src 'none'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

// Load balancers, monitors and agents use any host name. Agents authenticate by token, and so do clients of tracking: no cookie lets
// anybody in there.
const anyHost = /^\/(?:api\/runner\/|mlflow\/:projectId\/api\/|healthz$|readyz$|metrics$)/;
const notStored = /^\/(?:api|mlflow)\//;

export function installSecurity(app: FastifyInstance, settings: HostSettings): void {
  const { publicUrl } = settings;
  const refusalOf = createRequestCheck(settings);

  app.addHook("onRequest", async (request, reply) => {
    void reply.headers({
      "content-security-policy": contentSecurityPolicy,
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      // A page on http would look up the name of every host it has a link to.
      "x-dns-prefetch-control": "off",
      "referrer-policy": "same-origin",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "permissions-policy": "camera=(), microphone=(), geolocation=()",
      "x-request-id": request.id,
    });
    if (isSecure(request, publicUrl)) void reply.header("strict-transport-security", "max-age=31536000");
    if (notStored.test(request.routeOptions.url ?? request.url)) void reply.header("cache-control", "no-store");
    // By the route, not by the address, which has many spellings.
    const byAnyName = anyHost.test(request.routeOptions.url ?? "");
    const refusal = refusalOf(request, !safeMethods.has(request.method), byAnyName);
    if (refusal) throw new AppError(refusal);
  });
}

/** Lets pages of these origins show the answer in a frame. Without any, nobody may. */
export function allowFrames(reply: FastifyReply, origins: readonly string[]): void {
  if (origins.length === 0) return;
  // An origin that is no origin would change the policy.
  const sound = origins.filter((origin) => URL.canParse(origin) && new URL(origin).origin === origin);
  const ancestors = `frame-ancestors ${sound.join(" ") || "'none'"}`;
  void reply.header("content-security-policy", contentSecurityPolicy.replace("frame-ancestors 'none'", ancestors));
  // Browsers that know the policy ignore it, others would refuse every frame.
  void reply.removeHeader("x-frame-options");
}

/** The reason to refuse a request because of its Host or Origin header. */
export function createRequestCheck(settings: HostSettings) {
  const publicOrigin = settings.publicUrl && new URL(settings.publicUrl).origin;
  const isAllowedHost = createAllowedHosts(settings);
  return (
    request: Pick<FastifyRequest, "headers">,
    isChange: boolean,
    byAnyName = false,
  ): "unknown_host" | "foreign_origin" | undefined => {
    if (!byAnyName && !isAllowedHost(request.headers.host)) return "unknown_host";
    if (isChange && !isOwnOrigin(request, publicOrigin)) return "foreign_origin";
    return undefined;
  };
}

/** Browsers name the page a changing request comes from; programs that are not browsers name none. */
function isOwnOrigin(request: Pick<FastifyRequest, "headers">, publicOrigin: string | undefined): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined) {
    const site = request.headers["sec-fetch-site"];
    return site === undefined || site === "same-origin" || site === "none";
  }
  if (origin === publicOrigin) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}

export function isSecure(request: FastifyRequest, publicUrl: string | undefined): boolean {
  return request.protocol === "https" || publicUrl?.startsWith("https:") === true;
}
