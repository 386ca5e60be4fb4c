import type { FastifyInstance } from "fastify";

import { AppError } from "../errors/app-error.ts";
import { systemCodeOf } from "../errors/error-details.ts";
import { createDiskRoom } from "./disk-room.ts";

/** PostgreSQL's code, and those of the system. */
const codes = new Set(["53100", "ENOSPC", "EDQUOT"]);

export interface FullDisk {
  /** Whether the disk with the database has its reserve. */
  hasRoom: () => Promise<boolean>;
  warnings: () => Promise<{ code: string; message: string }[]>;
}

export const isFullDisk = (error: unknown): boolean => codes.has(systemCodeOf(error) ?? "");

/** Reading goes on, whatever its method, and so does all that frees room, ends something or lets an administrator in. */
const reading = new Set(["GET", "HEAD", "OPTIONS", "DELETE"]);
const allowed =
  /^\/(?:api\/runner\/|api\/v3\/auth\/|mlflow\/.*\/(?:search|get[^/]*|delete|query-trace-metrics)$)|\/(?:search|plan|check|preview|stop|force-stop|cancel|interrupt|pause|end)$/;

/**
 * Refuses what would fill the disk further, with one sentence, before the database itself has no room: it survives a full
 * disk only while it can write its log. Agents get their answer with each batch.
 */
export function installFullDisk(app: FastifyInstance, folder: string | undefined, reserveBytes: number): FullDisk {
  const hasRoom = folder === undefined ? () => Promise.resolve(true) : createDiskRoom(folder, reserveBytes);
  app.addHook("onRequest", async ({ method, url }) => {
    if (reading.has(method) || allowed.test(url.split("?", 1)[0] ?? "")) return;
    if (!(await hasRoom())) throw new AppError("disk_full");
  });
  return {
    hasRoom,
    warnings: async () =>
      (await hasRoom())
        ? []
        : [
            {
              code: "disk_full",
              message:
                `The disk with the data of this installation has less than ${Math.round(reserveBytes / 1e6)} MB left (MIRANDA_DISK_RESERVE_MB). ` +
                "Nothing is saved until there is room: sessions that print wait, everything else that writes is refused. Reading goes on. " +
                "Remove files, or give the disk more room.",
            },
          ],
  };
}
