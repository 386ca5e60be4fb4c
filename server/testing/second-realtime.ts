import { readConfig } from "../platform/settings/config.ts";
import { createBackgroundWork } from "../platform/background-work.ts";
import { createHttp } from "../platform/http/http-server.ts";
import { createInstallation } from "../platform/installation/installation.ts";
import { createRateLimits } from "../platform/limits/rate-limits.ts";
import type { Redis } from "../platform/redis.ts";
import { createAuth } from "../features/auth/auth-service.ts";
import { createProjects } from "../features/projects/projects-service.ts";
import { createRealtime } from "../features/realtime/realtime-service.ts";
import type { TestServer } from "./test-server.ts";

/** A second server on the same database, whose realtime feature a test can use directly. */
export async function openSecondRealtime(server: TestServer, redis?: Redis) {
  const http = await createHttp(readConfig({ LOG_LEVEL: "silent" }));
  const { db } = server;
  const { quotas } = readConfig({});
  const installation = createInstallation(db);
  const emails = { offered: false, askToConfirm: () => undefined };
  const auth = createAuth({
    db,
    installation,
    rateLimits: createRateLimits(db),
    registrationsPerHour: 1,
    quotas,
    emails,
  });
  const background = createBackgroundWork((error) => {
    throw error;
  });
  const projects = createProjects({ db, auth, quotas, background });
  const realtime = createRealtime({
    http,
    db,
    auth,
    projects,
    hostSettings: readConfig({}),
    presenceExpiry: 45_000,
    socketsPerAccount: 50,
    shared: redis && { redis, prefix: "second" },
  });
  return { http, realtime, server: { ...server, url: await http.listen({ host: "127.0.0.1", port: 0 }) } };
}
