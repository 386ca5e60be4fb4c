import { timingSafeEqual } from "node:crypto";

import { hashToken } from "../../../platform/crypto.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import { contentType, formatMetrics } from "../../../platform/metrics/prometheus-text.ts";
import type { createMetrics } from "./metrics-service.ts";

/** For Prometheus. Without a token in the settings there is no such page. */
export function metricsRoutes(
  app: Http,
  metrics: ReturnType<typeof createMetrics> | undefined,
  token: string | undefined,
): void {
  const wanted = hashToken(token ?? "");
  app.get("/metrics", { schema: { hide: true } }, async (request, reply) => {
    if (!metrics || token === undefined) throw new AppError("not_found");
    const given = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
    if (!timingSafeEqual(hashToken(given), wanted)) throw new AppError("not_signed_in");
    void reply.header("content-type", contentType).header("cache-control", "no-store");
    return formatMetrics(await metrics.read());
  });
}
