import type { FastifyInstance } from "fastify";
import type { Pool } from "pg";

import { AppError } from "../errors/app-error.ts";

const databaseTimeout = 2_000;

export function installHealth(app: FastifyInstance, pool: Pool): void {
  const hidden = { schema: { hide: true } };
  app.get("/healthz", hidden, async () => ({ status: "ok" }));
  app.get("/readyz", hidden, async (request) => {
    try {
      await answersInTime(pool);
    } catch (error) {
      request.log.warn({ err: error }, "not ready");
      throw new AppError("not_ready");
    }
    return { status: "ready" };
  });
}

async function answersInTime(pool: Pool): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("the database does not answer")), databaseTimeout);
  });
  try {
    await Promise.race([pool.query("select 1"), late]);
  } finally {
    clearTimeout(timer);
  }
}
