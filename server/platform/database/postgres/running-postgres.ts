import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { adminRole, databaseName } from "./postgres-roles.ts";
import { socketUrl } from "./postgres-socket.ts";

/**
 * The address of an embedded PostgreSQL that a server runs in this folder. Only who may read the data folder gets it.
 * Undefined when none runs.
 */
export async function findRunningPostgres(folder: string): Promise<string | undefined> {
  const state = await readFile(join(folder, "cluster", "postmaster.pid"), "utf8").catch(() => "");
  // PostgreSQL writes: pid, folder, time, port, folder of the socket.
  const socket = state.split("\n")[4]?.trim();
  const password = await readFile(join(folder, "password"), "utf8").catch(() => undefined);
  return socket && password ? socketUrl(socket, adminRole, password, databaseName) : undefined;
}
