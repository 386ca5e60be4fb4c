import type { FastifyInstance } from "fastify";

import { AppError } from "../errors/app-error.ts";

/** In milliseconds. What has to wait so long for the database makes the server refuse more. */
const longestWait = 2_000;
/** In seconds. */
const tryAgainAfter = 2;

/** Pages and files need no database. Agents try again by themselves, and what they bring is worth waiting for. */
const isRefused = (url: string): boolean => /^\/(?:api|mlflow)\//.test(url) && !url.startsWith("/api/runner/");

export const serverBusy = (): AppError => new AppError("server_busy", undefined, tryAgainAfter);

/** Refuses requests while those that are here already wait for the database: a few with an answer are better than all without. */
export function installOverload(app: FastifyInstance, waitsFor: () => number): void {
  app.addHook("onRequest", async ({ url }) => {
    if (isRefused(url) && waitsFor() > longestWait) throw serverBusy();
  });
}
