import { errors } from "@miranda/contract/errors.ts";
import type { FastifyInstance } from "fastify";
import type { Pool } from "pg";

import { AppError } from "../errors/app-error.ts";
import { withTimeout } from "../with-timeout.ts";

const databaseTimeout = 2_000;

export function installHealth(app: FastifyInstance, pool: Pool, hasDiskRoom: () => Promise<boolean>): void {
  const hidden = { schema: { hide: true } };
  app.get("/healthz", hidden, async () => ({ status: "ok" }));
  app.get("/readyz", hidden, async (request) => {
    try {
      await withTimeout(pool.query("select 1"), databaseTimeout, "the database does not answer");
    } catch (error) {
      request.log.warn({ err: error }, "not ready");
      throw new AppError("not_ready");
    }
    if (!(await hasDiskRoom())) throw new AppError("not_ready", errors.disk_full);
    return { status: "ready" };
  });
}
