import pg from "pg";

import { messageOf, systemCodeOf } from "../errors/error-details.ts";

const lost = new WeakSet<Error>();
/** PostgreSQL ends, has crashed, or is starting; or it lost us. */
const serverGone = /^(?:57P0[1-3]|08...)$/;
const systemGone = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ENOENT", "ETIMEDOUT"]);
const clientGone = /^Connection terminated|connection error and is not queryable|^Client was closed/;

/** Notes an error of the database's client that says that the connection is gone. The same code may mean another service elsewhere. */
export function noteLostConnection(error: unknown): void {
  if (!(error instanceof Error)) return;
  const code = systemCodeOf(error) ?? "";
  const isGone =
    error instanceof pg.DatabaseError
      ? serverGone.test(code)
      : systemGone.has(code) || clientGone.test(messageOf(error));
  if (isGone) lost.add(error);
}

/** Whether the database was away: what was asked may be asked again in a moment. */
export const isLostConnection = (error: unknown): boolean => error instanceof Error && lost.has(error);
