import { join, resolve } from "node:path";

import { holdDataFolder } from "../platform/data-folder.ts";
import { type Database, openDatabase } from "../platform/database/database.ts";
import { startEmbeddedPostgres } from "../platform/database/postgres/embedded-postgres.ts";
import { findRunningPostgres } from "../platform/database/postgres/running-postgres.ts";
import { DataFolderInUse, StartupError } from "../platform/errors/startup-error.ts";
import type { Config } from "../platform/settings/config.ts";

export const migrationsFolder = resolve(import.meta.dirname, "..", "migrations");

export interface OpenInstallation extends AsyncDisposable {
  url: string;
  database: Database;
  /** Whether a server runs in the data folder. */
  isRunning: boolean;
}

const connections = 3;

/** The database of an installation, whether its server runs or not. Its embedded database is started when needed. */
export async function openInstallation(config: Config): Promise<OpenInstallation> {
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let next = closers.pop(); next; next = closers.pop()) await next();
  };
  const open = (url: string, isRunning: boolean): OpenInstallation => {
    const database = openDatabase(url, connections, () => undefined, "miranda-command");
    closers.push(database.close);
    return { url, database, isRunning, [Symbol.asyncDispose]: close };
  };
  if (config.databaseUrl) return open(config.databaseUrl, false);
  const folder = join(config.dataFolder, "postgres");
  const data = await holdDataFolder(config.dataFolder).catch((error: unknown) => {
    if (error instanceof DataFolderInUse) return undefined;
    throw error;
  });
  if (!data) {
    const url = await findRunningPostgres(folder);
    if (!url) throw new StartupError("A server is starting or stopping. Try again in a moment.");
    return open(url, true);
  }
  closers.push(data.release);
  try {
    const postgres = await startEmbeddedPostgres(folder, () => undefined);
    closers.push(postgres.stop);
    return open(postgres.url, false);
  } catch (error) {
    await close();
    throw error;
  }
}
